"""The network of a session: each address through the gate, answers kept for as long as the session runs."""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct, structs

from chatcli.errors import Denied
from chatcli.gate.addresses import (
    Address,
    Place,
    Resolver,
    UnknownHost,
    look_up,
    parse_address,
    place_by_name,
    resolve,
)
from chatcli.gate.gate import Gate
from chatcli.tools.api import Fetched
from chatcli.tools.web_client import Target, WebClient

logger = logging.getLogger(__name__)

MOST_KEPT_BYTES = 200_000_000
"""Of all answers together; beyond that all are forgotten."""


class _Kept(Struct, frozen=True):
    """An answer without its body, and where that lies."""

    answer: Fetched
    start: int
    size_bytes: int


class _Answers:
    """What came, by its address: bodies in a file without a name, which goes with this process."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._kept: dict[str, _Kept] = {}

    @cached_property
    def _file(self) -> BinaryIO:
        return tempfile.TemporaryFile(dir=self._folder, buffering=0)

    def find(self, url: str) -> Fetched | None:
        kept = self._kept.get(url)
        if kept is None:
            return None
        return structs.replace(kept.answer, body=os.pread(self._file.fileno(), kept.size_bytes, kept.start))

    def keep(self, url: str, answer: Fetched) -> None:
        """What there is no room for is asked for anew next time."""
        try:
            start = self._file.seek(0, os.SEEK_END)
            if start + len(answer.body) > MOST_KEPT_BYTES:
                self.forget()
                start = self._file.seek(0)
            written = self._file.write(answer.body)
        except OSError as error:
            logger.warning("an answer could not be kept: %s", error)
            return
        if written == len(answer.body):
            self._kept[url] = _Kept(structs.replace(answer, body=b""), start, written)

    def forget(self) -> None:
        if self._kept:
            self._kept.clear()
            self._file.truncate(0)


class GatedNetwork:
    """`chatcli.tools.api.Network`. The user configured the address `own`, given without its query.

    Asking it may therefore reach this machine or a private network; nothing else is let off.

    With a proxy public hosts are reached through it. It looks them up itself, so that nobody can tell here
    which machine it connects to; what this machine knows of a host is checked all the same.
    """

    def __init__(
        self,
        gate: Gate,
        folder: Path,
        *,
        own: str = "",
        proxy: str = "",
        ca_bundle: str = "",
        resolver: Resolver = resolve,
    ) -> None:
        """`folder` is where answers may be kept for as long as this process runs."""
        self._gate = gate
        self._answers = _Answers(folder)
        self._own = own
        self._proxy = proxy
        self._resolver = resolver
        self._client = WebClient(self._admit, proxy=proxy, ca_bundle=ca_bundle)

    async def fetch(
        self,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        max_bytes: int = 10 << 20,
        timeout_seconds: float = 30.0,
        reuse: bool = False,
    ) -> Fetched:
        kept = self._answers.find(url)
        if kept and reuse:
            return kept
        asked = {**(headers or {}), **(_validators(kept) if kept else {})}
        answer = await self._client.fetch(
            url, headers=asked, max_bytes=max_bytes, timeout_seconds=timeout_seconds
        )
        if kept and answer.status == 304:
            return kept
        if answer.status == 200:
            self._answers.keep(url, answer)
        return answer

    def forget(self) -> None:
        """Keep no answer any longer."""
        self._answers.forget()

    async def _admit(self, url: str, redirected: bool) -> Target:
        """A redirect is written by the server: it carries nothing out, but it may lead inwards.

        What the model wrote is checked before its host is looked up: a name can carry data too.
        """
        address = parse_address(url)
        own = not redirected and url.partition("?")[0] == self._own
        if not redirected:
            await self._gate.network(url)
        machines, place = await self._look_up(address)
        if place == "metadata" or (place == "local" and not own):
            await self._admit_inwards(address, place, redirected)
        by_proxy = bool(self._proxy) and place == "public" and not own
        return Target(url=address.url, machines=() if by_proxy else machines)

    async def _look_up(self, address: Address) -> tuple[tuple[str, ...], Place]:
        """Behind a proxy a machine often knows no names but those of its own network."""
        try:
            return await look_up(address, self._resolver)
        except UnknownHost:
            if not self._proxy or (place := place_by_name(address.host)) != "public":
                raise
            return (), place

    async def _admit_inwards(self, address: Address, place: Place, redirected: bool) -> None:
        if not redirected:
            await self._gate.network(address.url, place)
        elif not self._gate.allows_host(address.host):
            raise Denied(_led_inwards(address, place))


def _validators(answer: Fetched) -> dict[str, str]:
    """Headers that ask whether this is still the answer."""
    names = {"etag": "If-None-Match", "last-modified": "If-Modified-Since"}
    found = {names[name]: value for name, value in answer.headers.items() if name in names}
    return {} if answer.stopped or answer.hops else found


def _led_inwards(address: Address, place: Place) -> str:
    where = "a cloud's own service" if place == "metadata" else "a machine here or in a private network"
    return f"Not followed: the address redirects to {address.host}, which is {where}."
