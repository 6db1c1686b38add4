"""The service that an adapter talks to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from msgspec import Struct

from chatcli.providers.base import CacheClass, Request
from chatcli.providers.images import ImageTerms, visible
from chatcli.settings import CacheTtl

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


def no_headers(_request: Request) -> Mapping[str, str]:
    return {}


class Service(Struct, frozen=True, kw_only=True):
    """One configured service: where it is, what it is asked for, and what messages about it name."""

    name: str
    """As in the table of providers."""
    model: str
    base_url: str
    key: str = ""
    bearer: bool = False
    """On Anthropic's wire: the key is sent as `Authorization: Bearer`."""
    key_variable: str = ""
    """Where a person would set the key."""
    cache: CacheClass = "none"
    hour_cache: bool = False
    """Its explicit cache can be asked to keep a prefix for an hour."""
    part_breakpoints: bool = False
    """On Responses: it takes cache breakpoints, for those of its models that have them."""
    window_tokens: int = 128_000
    window_given: bool = False
    """The user said how large the window is: what the service says does not count."""
    max_output_tokens: int = 8_192
    vision: bool = False
    """The model sees images."""
    images: ImageTerms = ImageTerms()
    """Which of them the service takes."""
    ca_bundle: str = ""
    """Certificates that are trusted beside the usual ones: a file or a folder."""
    idle_seconds: float = 90.0
    """Silence after which a stream is given up."""
    headers: Callable[[Request], Mapping[str, str]] = no_headers
    """What this service wants to be told about each request, beside the usual."""
    local: bool = False
    """Ollama: there is nothing to pay and nothing to log in to, but something to start."""

    def __repr__(self) -> str:
        return f"Service({self.name}, {self.model}, {self.base_url})"

    @property
    def on_this_machine(self) -> bool:
        """Proxies of the environment are for the outside: they cannot reach this machine's loopback."""
        return urlsplit(self.base_url).hostname in _LOOPBACK

    def cache_ttl(self, request: Request) -> CacheTtl:
        """What was asked for, as far as the service has it."""
        return request.marks.ttl if self.hour_cache else "5m"

    def visible(self, request: Request) -> Request:
        """The request with the images that model and service take; the others are named in words."""
        return visible(request, self.images if self.vision else None)

    def output_limit(self, request: Request) -> int:
        """Longest reply in tokens: what was asked for, up to what the model can."""
        return min(request.max_output_tokens or self.max_output_tokens, self.max_output_tokens)
