"""Which certificates are trusted: those of the system and of certifi, and those that the user adds.

`SSL_CERT_FILE` and `SSL_CERT_DIR` take the place of the usual ones, as everywhere; `CHATCLI_CA_BUNDLE`
adds to them: the CA of a company whose proxy opens encrypted connections.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from chatcli.errors import UsageError
from chatcli.i18n import _

if TYPE_CHECKING:
    import ssl


def trusted(bundle: str = "") -> ssl.SSLContext:
    """For connections as a client. `bundle` is a PEM file, or a folder of them.

    Raises UsageError when nothing of it can be used.
    """
    import ssl

    import certifi

    context = ssl.create_default_context()
    if not (os.environ.get("SSL_CERT_FILE") or os.environ.get("SSL_CERT_DIR")):
        context.load_verify_locations(certifi.where())  # some systems have none where OpenSSL looks
    if bundle:
        path = Path(bundle).expanduser()
        try:
            for file in sorted(path.glob("*.pem")) if path.is_dir() else [path]:
                context.load_verify_locations(file)
        except OSError as error:
            no_certificate = isinstance(error, ssl.SSLError)
            why = _("it holds no PEM certificate") if no_certificate else error.strerror
            raise UsageError(
                _("CHATCLI_CA_BUNDLE: {path} cannot be used: {why}").format(path=path, why=why),
                hint=_("It must be a PEM file, or a folder with files that end in .pem."),
            ) from error
    return context
