"""Where packages come from on this machine, as pip and uv are told, and where a file of one is there."""

from __future__ import annotations

import configparser
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from chatcli.errors import ProviderError
from chatcli.i18n import _
from chatcli.providers.local.models import NAME

if TYPE_CHECKING:
    import httpx

USUAL_INDEX = "https://pypi.org/simple"
_VARIABLES = ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL")
_JSON = "application/vnd.pypi.simple.v1+json"
_LINK = re.compile(r"""<a\s[^>]*href=["']([^"'#]+)""", re.IGNORECASE)


def index_url(environment: Mapping[str, str]) -> str:
    """The index that variables or files of pip or uv name, else the usual one."""
    named = (environment.get(name, "").strip() for name in _VARIABLES)
    found = next(filter(None, named), "") or next(_configured(environment), USUAL_INDEX)
    name, _equals, url = found.partition("=")  # uv lets an index have a name
    return url if name.isidentifier() else found


def file_url(client: httpx.Client, index: str, project: str, file: str) -> str:
    """The address of one file of a project. Raises ProviderError when it is not there."""
    page = client.get(f"{index.rstrip('/')}/{project}/", headers={"Accept": f"{_JSON}, text/html;q=0.5"})
    if page.status_code == 200:
        for link in _links(page):
            if link.rpartition("/")[2].partition("#")[0] == file:
                return urljoin(str(page.url), link)
    raise ProviderError(
        _("The package index {index} has no {file} ({status}).").format(
            index=page.url.copy_with(userinfo=b""), file=file, status=page.status_code
        ),
        hint=_("PIP_INDEX_URL names another index. Any GGUF file will do: LOCAL_MODEL_PATH names it."),
        provider=NAME,
    )


def _links(page: httpx.Response) -> list[str]:
    if "json" in page.headers.get("content-type", ""):
        answer: dict[str, Any] = page.json()
        return [str(file.get("url", "")) for file in answer.get("files", ())]
    return _LINK.findall(page.text)


def _configured(environment: Mapping[str, str]) -> Iterator[str]:
    home = Path(environment.get("HOME", "~")).expanduser()
    configuration = Path(environment.get("XDG_CONFIG_HOME") or home / ".config")
    for folder in (configuration, Path("/etc")):
        yield from _of_uv(folder / "uv" / "uv.toml")
    own = Path(environment["PIP_CONFIG_FILE"]) if environment.get("PIP_CONFIG_FILE") else None
    usual = (
        Path(sys.prefix) / "pip.conf",
        configuration / "pip" / "pip.conf",
        home / ".pip" / "pip.conf",
        Path("/etc/pip.conf"),
    )
    for file in (own, *usual) if own else usual:
        yield from _of_pip(file)


def _of_uv(file: Path) -> Iterator[str]:
    try:
        settings = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return
    for index in settings.get("index", ()):
        if index.get("default") and index.get("url"):
            yield index["url"]
    if url := settings.get("index-url"):
        yield url


def _of_pip(file: Path) -> Iterator[str]:
    parser = configparser.RawConfigParser()
    try:
        parser.read_string(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, configparser.Error):
        return
    for section in ("download", "install", "global"):
        if url := parser.get(section, "index-url", fallback="").strip():
            yield url
