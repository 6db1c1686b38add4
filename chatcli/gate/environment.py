"""The environment of commands and helper programs: an allow-list, built anew for every child.

Provider keys never reach a child, and neither does anything that makes a shell, the loader or an
interpreter run code before the command (`BASH_ENV`, `LD_PRELOAD`, `PYTHONSTARTUP`, exported functions).
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

_KEPT = """
    PATH HOME USER LOGNAME SHELL LANG LANGUAGE TERM COLORTERM NO_COLOR TZ TMPDIR CI SSH_AUTH_SOCK
    XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_RUNTIME_DIR
    VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV PYENV_ROOT PYENV_VERSION PYTHONPATH PYTHONUNBUFFERED
    PYTHONDONTWRITEBYTECODE PYTHONUTF8 UV_CACHE_DIR PIP_CACHE_DIR POETRY_HOME
    NVM_DIR NODE_PATH NODE_ENV PNPM_HOME VOLTA_HOME BUN_INSTALL DENO_DIR
    GOPATH GOROOT GOBIN GOCACHE GOMODCACHE GOPROXY GOPRIVATE CARGO_HOME CARGO_TARGET_DIR RUSTUP_HOME
    RUSTUP_TOOLCHAIN JAVA_HOME GRADLE_USER_HOME MAVEN_HOME M2_HOME ANDROID_HOME ANDROID_SDK_ROOT
    DOTNET_ROOT GEM_HOME GEM_PATH BUNDLE_PATH RBENV_ROOT RBENV_VERSION COMPOSER_HOME
    ASDF_DIR ASDF_DATA_DIR SDKMAN_DIR HOMEBREW_PREFIX HOMEBREW_CELLAR HOMEBREW_REPOSITORY
    CC CXX AR CFLAGS CXXFLAGS LDFLAGS PKG_CONFIG_PATH SDKROOT MACOSX_DEPLOYMENT_TARGET
    SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE NODE_EXTRA_CA_CERTS
    NO_PROXY no_proxy
"""
_NAMES = frozenset(_KEPT.split())
_PROXIES = frozenset({"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"})
_LOCALE = re.compile(r"LC_[A-Z]+")

# Nobody sits at the terminal of a child; reading commands of git leave the index alone.
_FIXED = {
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
}


def child_environment(base: Mapping[str, str], workspace: Mapping[str, str]) -> dict[str, str]:
    """What a child sees of `base`, plus the variables of the workspace."""
    kept = {name: value for name, value in base.items() if _may_pass(name, value)}
    kept["PATH"] = search_path(base.get("PATH", ""))
    return {**kept, **_FIXED, **workspace}


def search_path(path: str) -> str:
    """`PATH` without entries that depend on the current folder."""
    entries = [entry for entry in path.split(os.pathsep) if Path(entry).is_absolute()]
    return os.pathsep.join(entries) or os.defpath.lstrip(f":.{os.pathsep}")


def _may_pass(name: str, value: str) -> bool:
    if name in _PROXIES:
        return not _names_a_password(value)
    return name in _NAMES or _LOCALE.fullmatch(name) is not None


def _names_a_password(address: str) -> bool:
    try:
        return urlsplit(address if "//" in address else f"//{address}").username is not None
    except ValueError:
        return True
