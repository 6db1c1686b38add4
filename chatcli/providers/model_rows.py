"""The models of a provider as a person chooses among them: window, price, what they take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from msgspec import Struct

from chatcli.errors import NetworkError
from chatcli.i18n import _
from chatcli.messages import Usage
from chatcli.providers import specs
from chatcli.providers.assistants import kept_assistants
from chatcli.providers.catalogue import UNKNOWN, facts, learn
from chatcli.providers.listing import FOLDER, Listed, read_list
from chatcli.providers.prices import cost_usd
from chatcli.providers.spec import ProviderSpec

_SAMPLE_TOKENS = 1_000
"""Priced as one small request: prices rise for very large ones."""


class ModelRow(Struct, frozen=True, kw_only=True):
    """`window_tokens` is what chatcli works with; prices are USD for a million tokens."""

    id: str
    window_tokens: int
    window_known: bool
    max_output_tokens: int
    tools: bool
    vision: bool
    cache_minimum_tokens: int
    tokens_ratio: float
    input_usd: float | None
    output_usd: float | None
    usual: bool


def model_rows(
    spec: ProviderSpec, environment: Mapping[str, str], home: Path, *, word: str = ""
) -> list[ModelRow]:
    """The models whose id holds `word`, by id: those that the service listed, else those with a price.

    Raises NetworkError when Ollama is asked for and does not answer.
    """
    usual = specs.default_model(spec, environment)
    ids = {*_model_ids(spec, environment, home), usual} - {""}
    return [_row(spec, model, usual=model == usual) for model in sorted(ids) if word.lower() in model.lower()]


def _model_ids(spec: ProviderSpec, environment: Mapping[str, str], home: Path) -> Iterable[str]:
    if spec.wire == "assistant":
        return [assistant.title for assistant in kept_assistants(home)]
    if spec.wire == "local":
        return _files(home)
    if spec.wire == "ollama":
        from chatcli.providers.ollama_probe import installed_models

        url = specs.base_url(spec, environment)
        installed = installed_models(url)
        if installed is None:
            raise NetworkError(
                _("no Ollama answers at {url}").format(url=url), hint="ollama serve", provider=spec.name
            )
        return installed
    if listed := read_list(home / FOLDER, spec.name):
        return listed
    return _priced_models(spec) if spec.price_id else ()


def _files(home: Path) -> list[str]:
    """Model files say themselves how large their window is."""
    from chatcli.providers.local.models import kept_models

    kept = kept_models(home)
    learn("LOCAL", [Listed(id=model.name, window_tokens=model.window_tokens) for model in kept])
    return [model.name for model in kept]


def _priced_models(spec: ProviderSpec) -> list[str]:
    from genai_prices.data_snapshot import get_snapshot

    # Models without a window are embeddings, speech and the like; Google sells others on another service.
    family = "gem" if spec.wire == "gemini" else ""
    return [
        model.id
        for priced in get_snapshot().providers
        if priced.id == spec.price_id
        for model in priced.models
        if model.context_window and not model.deprecated and model.id.startswith(family)
    ]


def _row(spec: ProviderSpec, model: str, *, usual: bool) -> ModelRow:
    known = facts(model, spec.name)
    return ModelRow(
        id=model,
        window_tokens=known.window_tokens,
        window_known=known is not UNKNOWN,
        max_output_tokens=known.max_output_tokens,
        tools=known.tools and spec.native_tools,
        vision=known.vision,
        cache_minimum_tokens=known.cache_minimum_tokens,
        tokens_ratio=known.tokens_ratio,
        input_usd=_price(spec, model, Usage(input=_SAMPLE_TOKENS)),
        output_usd=_price(spec, model, Usage(output=_SAMPLE_TOKENS)),
        usual=usual,
    )


def _price(spec: ProviderSpec, model: str, usage: Usage) -> float | None:
    usd = cost_usd(spec.name, model, usage)
    return None if usd is None else round(usd * 1_000_000 / _SAMPLE_TOKENS, 6)
