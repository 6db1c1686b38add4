"""The service that an adapter talks to."""

from __future__ import annotations

from urllib.parse import urlsplit

from msgspec import Struct

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class Service(Struct, frozen=True, kw_only=True):
    """One configured service: where it is, what it is asked for, and what messages about it name."""

    name: str
    """As in the table of providers."""
    model: str
    base_url: str
    key: str = ""
    key_variable: str = ""
    """Where a person would set the key."""
    local: bool = False
    """Ollama: there is nothing to pay and nothing to log in to, but something to start."""

    def __repr__(self) -> str:
        return f"Service({self.name}, {self.model}, {self.base_url})"

    @property
    def on_this_machine(self) -> bool:
        """Proxies of the environment are for the outside: they cannot reach this machine's loopback."""
        return urlsplit(self.base_url).hostname in _LOOPBACK
