"""One row of the table of providers."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from chatcli.providers.base import CacheClass, Wire
from chatcli.providers.images import ImageTerms
from chatcli.providers.openai_chat_body import Dialect

Auth = Literal["none", "key", "bearer", "exchange", "client_credentials", "aws"]
"""How a service is told who asks.

    none                nothing is needed; a key is sent where there is one
    key                 a key, where the wire puts it
    bearer              a key as `Authorization: Bearer`, on a wire that puts it elsewhere
    exchange            GitHub's token, exchanged for one of Copilot that lives for minutes
    client_credentials  OAuth: an id and a secret for a token
    aws                 a bearer key, or AWS credentials that sign each request
"""


class ProviderSpec(Struct, frozen=True, kw_only=True):
    """Everything that is said about a provider, and nothing that is found out."""

    name: str
    wire: Wire
    base_url: str
    default_model: str
    cache: CacheClass
    hour_cache: bool = False
    """Its explicit cache can be asked to keep a prefix for an hour, at twice the price of input."""
    auth: Auth = "key"
    part_breakpoints: bool = False
    """On Responses: it takes cache breakpoints, for those of its models that have them."""
    aliases: tuple[str, ...] = ()
    """Other names that people use, in lower case."""
    url_variables: tuple[str, ...] = ()
    """Variables that redirect it, the canonical one first."""
    url_endings: tuple[tuple[str, str], ...] = ()
    """Endings of addresses that people have for another wire of it, and what takes their place."""
    key_variables: tuple[str, ...] = ()
    also_needs: tuple[str, ...] = ()
    """Variables without which the key is of no use."""
    model_variables: tuple[str, ...] = ()
    key_is_optional_elsewhere: bool = False
    """Redirected to a server of one's own it works without a key."""
    chat_elsewhere: bool = False
    """Redirected, it speaks the chat wire unless told otherwise: most imitations know no other."""
    chosen_by_key: bool = True
    """Used without being named, when its key is there."""
    free: bool = False
    native_tools: bool = True
    """It takes tools, as far as its models do; else calls and results are text."""
    replays_unsigned: bool = False
    """On Anthropic's wire: thinking without a signature is wanted back too."""
    patience_seconds: float = 0.0
    """It may think for so long without a word: the idle limit is at least this."""
    retired: str = ""
    """The day on which its own service ended; it still works where it is redirected to."""
    dialect: Dialect = Dialect()
    """On the chat wire, and its `fields` on Responses: what it takes beyond the common ground."""
    images: ImageTerms = ImageTerms()
    """Which images its models that see take."""
    price_id: str = ""
    """Name of the provider in the price table; empty: its prices are not known."""

    @property
    def needs_key(self) -> bool:
        return self.auth not in {"none", "aws"}
