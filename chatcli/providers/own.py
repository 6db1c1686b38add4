"""What the user's settings add to the tables: own providers, what the user knows about models, prices.

[providers.DEEPSEEK]                       # any OpenAI-compatible service is these lines
base_url = "https://api.deepseek.com/v1"
key_variable = "DEEPSEEK_API_KEY"
model = "deepseek-chat"

[models."my-model"]
window_tokens = 32_000

[prices."my-model"]                        # USD for a million tokens
input = 0.5
output = 1.5
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, TypeVar

import msgspec
from msgspec import Struct, structs

from chatcli.i18n import _
from chatcli.providers.base import CacheClass
from chatcli.providers.catalogue import ModelFacts, facts, use_own_models
from chatcli.providers.images import ANTHROPIC_IMAGES, ImageTerms
from chatcli.providers.listing import FOLDER
from chatcli.providers.prices import OwnPrice, use_own_prices
from chatcli.providers.spec import ProviderSpec
from chatcli.providers.specs import is_address, use_own_rows
from chatcli.settings import Problem

_LAYER = "user file"
_CACHES: dict[str, CacheClass] = {"anthropic": "explicit"}

_Row = TypeVar("_Row", bound=Struct)


class OwnProvider(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table `[providers.NAME]`. Without `key_variable` no key is sent."""

    base_url: str
    model: str = ""
    wire: Literal["chat", "responses", "anthropic", "gemini", "ollama"] = "chat"
    key_variable: str = ""
    price_id: str = ""
    """As the price table names it; empty: its prices are shown as unknown."""
    native_tools: bool = True


class OwnModel(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table `[models."ID"]`: what is left out stays as it is known."""

    window_tokens: int | None = None
    max_output_tokens: int | None = None
    cache_minimum_tokens: int | None = None
    tools: bool | None = None
    vision: bool | None = None
    tokens_ratio: float | None = None


def use_own(tables: Mapping[str, object], home: Path) -> tuple[Problem, ...]:
    """Put the tables `providers`, `models` and `prices` in use, and the lists of models kept in `home`.

    What cannot be understood is left out and told.
    """
    problems: list[Problem] = []
    providers = _read("providers", tables.get("providers"), OwnProvider, problems)
    models = _read("models", tables.get("models"), OwnModel, problems)
    use_own_prices(_read("prices", tables.get("prices"), OwnPrice, problems))
    for name, given in list(providers.items()):
        if not is_address(given.base_url):
            problems.append(_problem(f"providers.{name}", _("base_url is not an address")))
            del providers[name]
    use_own_models({}, home / FOLDER)
    use_own_rows(_row(name, given) for name, given in providers.items())
    use_own_models({model: _facts(model, given) for model, given in models.items()}, home / FOLDER)
    return tuple(problems)


def _read(name: str, tables: object, kind: type[_Row], problems: list[Problem]) -> dict[str, _Row]:
    if not isinstance(tables, Mapping):
        problems.append(_problem(name, _("must be tables: [{name}.NAME]").format(name=name)))
        return {}
    found = {}
    for key, table in tables.items():
        try:
            found[key] = msgspec.convert(table, kind)
        except msgspec.ValidationError as error:
            problems.append(_problem(f"{name}.{key}", str(error)))
    return found


def _problem(variable: str, why: str) -> Problem:
    return Problem(variable=variable, layer=_LAYER, value="", why=why, used=None)


def _row(name: str, given: OwnProvider) -> ProviderSpec:
    return ProviderSpec(
        name=name.upper(),
        wire=given.wire,
        base_url=given.base_url.rstrip("/"),
        default_model=given.model,
        cache=_CACHES.get(given.wire, "automatic"),
        auth="key" if given.key_variable else "none",
        key_variables=(given.key_variable,) if given.key_variable else (),
        native_tools=given.native_tools,
        images=ANTHROPIC_IMAGES if given.wire == "anthropic" else ImageTerms(),
        price_id=given.price_id,
    )


def _facts(model: str, given: OwnModel) -> ModelFacts:
    said = {name: value for name, value in structs.asdict(given).items() if value is not None}
    return structs.replace(facts(model), **said)
