"""Files that by their names hold passwords or keys, wherever they lie.

A name is a hint and no proof: it decides whether a person is asked before the content goes to a model.
"""

from __future__ import annotations

import re

_KEY_SUFFIXES = (".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk")
_KEY_PREFIXES = ("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519")
_NAMED = r"""
    \.env(rc|\..+)? | .+\.env
    | [._]netrc | \.npmrc | \.pypirc | \.pgpass | \.my\.cnf | \.htpasswd | \.git-credentials | \.dockercfg
    | \.vault[-_](token|pass(word)?) | kubeconfig | .+\.kubeconfig | kubeconfig\..+
    | .+\.tfstate(\..+)? | .+\.tfvars(\.json)?
    | (.+[-_.])?(credentials?|secrets?|client[-_]secrets?|service[-_]account([-_]key)?)([-_.].+)?
      \.(json|ya?ml|toml|ini|cfg|txt|xml|properties)
    | credentials
    """
_HARMLESS_WORDS = frozenset({"example", "sample", "template", "dist", "tmpl", "tpl", "schema"})
_PUBLIC_WORDS = frozenset({"pub", "public", "ca", "cacert", "cert", "certs", "chain", "fullchain", "bundle"})
_PRIVATE_WORDS = frozenset({"key", "private", "priv", "privkey"})


def is_key(name: str) -> bool:
    """A private key, or a store of them."""
    folded = name.casefold()
    return folded.endswith(_KEY_SUFFIXES) or folded.startswith(_KEY_PREFIXES)


def holds_secrets(name: str) -> bool:
    """Whether the file of this name is asked about before it is read: a key or a file of passwords.

    Examples (`.env.example`) and public halves (`id_rsa.pub`, `cacert.pem`) are not.
    """
    folded = name.casefold()
    words = set(re.split(r"[-_.]", folded))
    if _HARMLESS_WORDS & words:
        return False
    if is_key(name):
        return not _PUBLIC_WORDS & words or bool(_PRIVATE_WORDS & words)
    return re.fullmatch(_NAMED, folded, re.VERBOSE) is not None
