"""`chatcli models`: models of a provider with their window and price."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from chatcli.errors import NetworkError
from chatcli.i18n import _
from chatcli.messages import Usage
from chatcli.providers import specs, table
from chatcli.providers.catalogue import UNKNOWN, facts
from chatcli.providers.prices import cost_usd
from chatcli.providers.spec import ProviderSpec
from chatcli.terminal.commands_cli.place import Place
from chatcli.terminal.commands_cli.used import provider_in_use
from chatcli.terminal.figures import money, short_count

_SAMPLE_TOKENS = 1_000
"""Priced as one small request: prices rise for very large ones."""


class ModelRow(Struct, frozen=True, kw_only=True):
    """`window_tokens` is what chatcli works with; prices are USD for a million tokens."""

    id: str
    window_tokens: int
    window_known: bool
    input_usd: float | None
    output_usd: float | None
    usual: bool


def keep_assistant(place: Place, file: str) -> int:
    """Keep an exported assistant, so that it can be chosen as a model of OPENAI_ASSISTANT."""
    from chatcli.providers.assistants import import_assistant

    kept = import_assistant(Path(file).expanduser(), place.home)
    place.out.line(f"--provider OPENAI_ASSISTANT --model {shlex.quote(kept.title)}")
    return 0


def list_models(place: Place, *, provider: str = "", word: str = "", output: str = "text") -> int:
    """The models of one provider whose id holds `word`."""
    spec = table.find_spec(provider) if provider else provider_in_use(place).spec
    rows = [row for row in _rows(place, spec) if word.lower() in row.id.lower()]
    if output == "json":
        place.out.json(rows)
        return 0
    place.out.line(spec.name, "bold")
    place.out.table((_("model"), _("window"), _("$ in/M"), _("$ out/M"), ""), [_cells(row) for row in rows])
    return 0


def _rows(place: Place, spec: ProviderSpec) -> Iterator[ModelRow]:
    usual = specs.default_model(spec, place.environment)
    ids = sorted({*_model_ids(place, spec), usual} - {""})
    for model in ids:
        known = facts(model, spec.name)
        yield ModelRow(
            id=model,
            window_tokens=known.window_tokens,
            window_known=known is not UNKNOWN,
            input_usd=_price(spec, model, Usage(input=_SAMPLE_TOKENS)),
            output_usd=_price(spec, model, Usage(output=_SAMPLE_TOKENS)),
            usual=model == usual,
        )


def _model_ids(place: Place, spec: ProviderSpec) -> Iterator[str]:
    match spec.wire:
        case "offline":
            return
        case "assistant":
            from chatcli.providers.assistants import kept_assistants

            yield from (assistant.title for assistant in kept_assistants(place.home))
        case "ollama":
            from chatcli.providers.ollama_probe import installed_models

            url = specs.base_url(spec, place.environment)
            installed = installed_models(url)
            if installed is None:
                raise NetworkError(
                    _("no Ollama answers at {url}").format(url=url), hint="ollama serve", provider=spec.name
                )
            yield from installed
        case _:
            from genai_prices.data_snapshot import get_snapshot

            for priced in get_snapshot().providers:
                if priced.id == spec.price_id:
                    # Models without a window are embeddings, speech and the like.
                    yield from (m.id for m in priced.models if m.context_window and not m.deprecated)


def _price(spec: ProviderSpec, model: str, usage: Usage) -> float | None:
    usd = cost_usd(spec.name, model, usage)
    return None if usd is None else round(usd * 1_000_000 / _SAMPLE_TOKENS, 6)


def _cells(row: ModelRow) -> tuple[str, ...]:
    window = short_count(row.window_tokens) if row.window_known else "?"
    mark = _("used unless you choose another") if row.usual else ""
    return (row.id, window, money(row.input_usd), money(row.output_usd), mark)
