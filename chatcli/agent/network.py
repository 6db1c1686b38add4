"""The network of a session: each address through the gate, answers kept for as long as the session runs."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from msgspec import Struct, structs

from chatcli.errors import Denied, StorageError
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
from chatcli.session.archive import Archive
from chatcli.tools.api import Fetched
from chatcli.tools.web_client import Target, WebClient

logger = logging.getLogger(__name__)


class _Kept(Struct, frozen=True):
    """An answer whose body lies in the archive."""

    answer: Fetched
    body_key: str

    def validators(self) -> dict[str, str]:
        """Headers that ask whether this is still the answer."""
        names = {"etag": "If-None-Match", "last-modified": "If-Modified-Since"}
        found = {names[name]: value for name, value in self.answer.headers.items() if name in names}
        return {} if self.answer.stopped or self.answer.hops else found


class GatedNetwork:
    """`chatcli.tools.api.Network`. What lies below one of `own` was configured by the user.

    With a proxy public hosts are reached through it. It looks them up itself, so that nobody can tell here
    which machine it connects to; what this machine knows of a host is checked all the same.
    """

    def __init__(
        self,
        gate: Gate,
        archive: Archive,
        *,
        own: tuple[str, ...] = (),
        proxy: str = "",
        ca_bundle: str = "",
        resolver: Resolver = resolve,
    ) -> None:
        self._gate = gate
        self._archive = archive
        self._own = tuple(base.rstrip("/") + "/" for base in own)
        self._proxy = proxy
        self._resolver = resolver
        self._client = WebClient(self._admit, proxy=proxy, ca_bundle=ca_bundle)
        self._kept: dict[str, _Kept] = {}

    async def fetch(
        self,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        max_bytes: int = 10 << 20,
        timeout_seconds: float = 30.0,
        reuse: bool = False,
    ) -> Fetched:
        kept = self._kept.get(url)
        if kept and reuse:
            return structs.replace(kept.answer, body=self._body_of(kept))
        asked = {**(headers or {}), **(kept.validators() if kept else {})}
        answer = await self._client.fetch(
            url, headers=asked, max_bytes=max_bytes, timeout_seconds=timeout_seconds
        )
        if kept and answer.status == 304:
            return structs.replace(kept.answer, body=self._body_of(kept))
        if answer.status == 200:
            self._keep(url, answer)
        return answer

    def _keep(self, url: str, answer: Fetched) -> None:
        """What the archive cannot take whole is asked for anew next time."""
        try:
            stored = self._archive.put(answer.body)
        except StorageError as error:
            logger.warning("an answer could not be kept: %s", error)
            return
        if not stored.omitted_bytes:
            self._kept[url] = _Kept(structs.replace(answer, body=b""), stored.sha256)

    def _body_of(self, kept: _Kept) -> bytes:
        with self._archive.open(kept.body_key) as file:
            return file.read()

    async def _admit(self, url: str, redirected: bool) -> Target:
        """A redirect is written by the server: it carries nothing out, but it may lead inwards.

        What the model wrote is checked before its host is looked up: a name can carry data too.
        """
        address = parse_address(url)
        own = any(url.startswith(base) for base in self._own)
        if not own and not redirected:
            await self._gate.network(url)
        machines, place = await self._look_up(address)
        if place != "public" and not own:
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


def _led_inwards(address: Address, place: Place) -> str:
    where = "a cloud's own service" if place == "metadata" else "a machine here or in a private network"
    return f"Not followed: the address redirects to {address.host}, which is {where}."
