"""What an address on the web names: its parts in one spelling, and the machines behind its host.

A host that is spelled oddly (octal, hexadecimal, one number, with user and password) is refused: what is
checked must be what is connected to, in every program that reads the address.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
from collections.abc import Awaitable, Callable
from typing import Literal
from urllib.parse import quote, unquote, urlsplit

from msgspec import Struct

from chatcli.errors import Denied, InvalidArguments, ToolFailed

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolver = Callable[[str, int], Awaitable[list[str]]]
Place = Literal["public", "local", "metadata"]
"""Where a machine is: on the internet; here or in a private network; a cloud's own service."""

_RESOLVE_SECONDS = 10.0
_MAX_URL_CHARS = 8_000
_LONG_QUERY_CHARS = 200
_LONG_SEGMENT_CHARS = 200
_LONG_TARGET_CHARS = 400
_LONG_RUN = re.compile(r"[A-Za-z0-9+_=]{80,}")
_LONG_LABEL_CHARS = 50
_LONG_HOST_CHARS = 120

_HOST = re.compile(r"[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?")
_NUMERIC = re.compile(r"(0x[0-9a-f]*|[0-9]+)(\.(0x[0-9a-f]*|[0-9]+))*", re.IGNORECASE)
_METADATA_NAMES = frozenset(
    {"metadata", "metadata.google.internal", "metadata.goog", "instance-data", "instance-data.ec2.internal"}
)
# Azure's counts as public otherwise; the others lie in private ranges.
_METADATA_ADDRESSES = frozenset(
    map(
        ipaddress.ip_address,
        ("168.63.129.16", "169.254.169.254", "100.100.100.200", "192.0.0.192", "fd00:ec2::254"),
    )
)
_INNER_NAMES = (
    *(".local", ".localhost", ".localdomain", ".internal", ".intranet", ".lan", ".corp", ".home"),
    *(".home.arpa", ".private", ".test"),
)
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_NAT64_LOCAL = ipaddress.ip_network("64:ff9b:1::/48")
_COMPATIBLE = ipaddress.ip_network("::/96")


class UnknownHost(ToolFailed):
    """This machine finds nobody of that name."""


class Address(Struct, frozen=True, kw_only=True):
    """An http or https address, taken apart. `host` is lower case, without brackets and last dot."""

    scheme: str
    host: str
    port: int
    target: str
    """Path and query as they are sent."""
    carries_data: bool
    """It is long enough to take data out: in its query, its path or its host."""

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == _DEFAULT_PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}{self.target}"


_DEFAULT_PORTS = {"http": 80, "https": 443}


def parse_address(url: str) -> Address:
    """Raises `Denied` or `InvalidArguments` for what is not plainly one http or https address."""
    try:
        parts = urlsplit(url)
        scheme, port = parts.scheme.lower(), parts.port
        host = _canonical_host(parts.hostname or "")
    except (ValueError, UnicodeError) as error:
        raise InvalidArguments(f"Not an address: {error}") from error
    if scheme not in _DEFAULT_PORTS:
        raise Denied("Not an address that can be opened: only http and https are.")
    if not url.isprintable() or " " in url or len(url) > _MAX_URL_CHARS or not host:
        raise InvalidArguments("Not an address.")
    if "@" in parts.netloc:
        raise Denied("An address with user or password in it is not opened.")
    path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._")
    query = quote(parts.query, safe="/%:@!$&'()*+,;=~-._?[]")
    return Address(
        scheme=scheme,
        host=host,
        port=port or _DEFAULT_PORTS[scheme],
        target=f"{path}?{query}" if query else path,
        carries_data=_carries_data(host, unquote(path), unquote(query)),
    )


async def resolve(host: str, port: int) -> list[str]:
    """All addresses of a host, as the system finds them."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


async def look_up(address: Address, resolver: Resolver) -> tuple[tuple[str, ...], Place]:
    """The machines behind a host, and the least public place among them. Raises `UnknownHost`."""
    try:
        machines = [ipaddress.ip_address(address.host)]
    except ValueError:
        machines = await _machines(address, resolver)
    places = {place_of(machine) for machine in machines}
    named = address.host in _METADATA_NAMES
    place: Place = "metadata" if named or "metadata" in places else "local" if "local" in places else "public"
    return tuple(map(str, machines)), place


def place_by_name(host: str) -> Place:
    """For a host that this machine cannot look up: what its name alone says."""
    if host in _METADATA_NAMES:
        return "metadata"
    return "local" if "." not in host or host.endswith(_INNER_NAMES) else "public"


async def _machines(address: Address, resolver: Resolver) -> list[IPAddress]:
    try:
        async with asyncio.timeout(_RESOLVE_SECONDS):
            found = await resolver(address.host, address.port)
    except (OSError, UnicodeError, TimeoutError) as error:
        raise UnknownHost(f"the host {address.host} was not found") from error
    if not found:
        raise UnknownHost(f"the host {address.host} was not found")
    return [ipaddress.ip_address(text) for text in found]


def place_of(machine: IPAddress) -> Place:
    """Unwraps IPv4 inside IPv6; what is neither global nor known to be harmless counts as local."""
    if isinstance(machine, ipaddress.IPv6Address):
        if machine.scope_id:
            return "metadata" if machine.is_link_local else "local"
        if inner := _inner(machine):
            return place_of(inner)
        if machine.sixtofour or machine.teredo or machine.is_site_local or machine in _NAT64_LOCAL:
            return "local"
    if machine in _METADATA_ADDRESSES or machine.is_link_local:
        return "metadata"
    return "public" if machine.is_global and not machine.is_multicast else "local"


def _inner(machine: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    if machine.ipv4_mapped:
        return machine.ipv4_mapped
    compatible = machine in _COMPATIBLE and int(machine) > 0xFFFF
    if machine in _NAT64 or compatible:
        return ipaddress.IPv4Address(int(machine) & 0xFFFFFFFF)
    return None


def _canonical_host(host: str) -> str:
    """Raises ValueError for a host in another spelling than its usual one."""
    if ":" in host:
        if "%" in host:
            raise ValueError("a network interface is no part of an address")
        return str(ipaddress.IPv6Address(host))
    host = host.removesuffix(".")
    if not host.isascii():
        host = host.encode("idna").decode("ascii")
    if _NUMERIC.fullmatch(host):
        return str(ipaddress.IPv4Address(host))
    if not _HOST.fullmatch(host) or ".." in host:
        raise ValueError(f"{host!r} is no host")
    return host


def _carries_data(host: str, path: str, query: str) -> bool:
    return (
        len(query) > _LONG_QUERY_CHARS
        or len(path) + len(query) > _LONG_TARGET_CHARS
        or any(len(segment) > _LONG_SEGMENT_CHARS for segment in path.split("/"))
        or _LONG_RUN.search(path) is not None
        or len(host) > _LONG_HOST_CHARS
        or any(len(label) > _LONG_LABEL_CHARS for label in host.split("."))
    )
