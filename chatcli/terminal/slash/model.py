"""/model and /switch: what answers, what else could, and changing it without losing the conversation."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from msgspec import structs

from chatcli.agent.opening import provider_notices
from chatcli.agent.start import connect
from chatcli.errors import UsageError
from chatcli.gate.screen import one_line
from chatcli.i18n import _
from chatcli.providers.credentials import find_key, stored_names
from chatcli.providers.listing import FOLDER, read_list
from chatcli.providers.spec import ProviderSpec
from chatcli.providers.specs import all_specs, default_model, find_spec
from chatcli.terminal.cells import clip_start, pad, width_cells
from chatcli.terminal.figures import money, short_count
from chatcli.terminal.screen.screen import Entry
from chatcli.terminal.slash.command import Command

if TYPE_CHECKING:
    from chatcli.providers.model_rows import ModelRow
    from chatcli.terminal.loop import Repl


_REFRESH = "refresh"
_LEAST_ID_CELLS = 12
_MARK_CELLS = 2


async def _model(repl: Repl, text: str) -> None:
    provider = repl.conversation.provider
    if text == _REFRESH:
        await _refresh(repl)
    elif text:
        await _change(repl, *_read(text, provider.name))
    elif chosen := await _picked_model(repl):
        await _change(repl, provider.name, chosen)


async def _switch(repl: Repl, text: str) -> None:
    if text:
        await _model(repl, text)
    elif chosen := await _picked_provider(repl):
        await _change(repl, chosen, "")


async def _change(repl: Repl, provider_name: str, model: str) -> None:
    conversation = repl.conversation
    settings = structs.replace(conversation.settings, provider=provider_name, model=model)
    provider, _reason = connect(settings, home=repl.home, environment=repl.environment)
    await conversation.use_provider(provider)
    repl.warm_up()
    repl.tell(
        _("From now on {provider}/{model} answers.").format(
            provider=provider.name, model=one_line(provider.model)
        )
    )
    for notice in provider_notices(provider, settings):
        repl.tell(notice.text, notice.level)


async def _picked_model(repl: Repl) -> str:
    """The id of the model that the person takes from those of the provider; empty when he takes none."""
    from chatcli.providers.model_rows import model_rows

    provider = repl.conversation.provider
    spec = find_spec(provider.name)
    rows = await asyncio.to_thread(model_rows, spec, repl.environment, repl.home)  # reads the price table
    ids = [row.id for row in rows]
    start = ids.index(provider.model) if provider.model in ids else 0
    label = _("{provider}: $ in / out per million tokens")
    entries = _model_entries(rows, repl.screen.columns - _MARK_CELLS)
    taken = await repl.screen.choose(label.format(provider=provider.name), entries, start)
    if not repl.screen.look.live:
        repl.tell(f"{provider.name}/{one_line(provider.model)}")
        repl.tell(
            _("/model PROVIDER/ID or /model ID changes it; /model refresh asks the service for its list.")
        )
    return "" if taken is None else ids[taken]


def _model_entries(rows: Sequence[ModelRow], cells: int) -> list[Entry]:
    """Columns that fit. Where it is narrow the ids give way, at their beginnings: those are alike."""
    paid, got = [_price(row.input_usd) for row in rows], [_price(row.output_usd) for row in rows]
    windows = [_window(row) for row in rows]
    widths = [max(map(width_cells, column), default=0) for column in (windows, paid, got)]
    room = max(cells - sum(widths) - len("     / "), _LEAST_ID_CELLS)
    ids = [clip_start(one_line(row.id), room) for row in rows]
    id_width = max(map(width_cells, ids), default=0)
    return [
        Entry(
            f"{pad(name, id_width)}  {window:>{widths[0]}}  {in_:>{widths[1]}} / {out:>{widths[2]}}", row.id
        )
        for row, name, window, in_, out in zip(rows, ids, windows, paid, got, strict=True)
    ]


def _price(usd: float | None) -> str:
    return f"${usd:.0f}" if usd and usd == round(usd) else money(usd)


def _window(row: ModelRow) -> str:
    """With `?` nobody knows it: this is what chatcli works with."""
    return short_count(row.window_tokens) + ("" if row.window_known else "?")


async def _picked_provider(repl: Repl) -> str:
    """The name of the provider that the person takes; empty when he takes none."""
    rows = [spec for spec in all_specs() if not spec.retired]
    names = [spec.name for spec in rows]
    columns = [names, [_access(repl, spec) for spec in rows]]
    models = [default_model(spec, repl.environment) for spec in rows]
    name_width, key_width = (max(map(width_cells, column)) for column in columns)
    entries = [
        Entry(
            f"{pad(name, name_width)}  {pad(key, key_width)}  {one_line(model)}",
            " ".join((name, *spec.aliases)),
        )
        for spec, name, key, model in zip(rows, *columns, models, strict=True)
    ]
    current = repl.conversation.provider.name
    start = names.index(current) if current in names else 0
    taken = await repl.screen.choose(_("Provider, key, usual model"), entries, start)
    return "" if taken is None else names[taken]


def _access(repl: Repl, spec: ProviderSpec) -> str:
    """Whether its key is there. No keyring is woken for it."""
    if not spec.needs_key:
        return ""
    stored = stored_names(repl.home)
    there = any(repl.environment.get(name) or name in stored for name in spec.key_variables)
    return _("key") if there else _("no key")


async def _refresh(repl: Repl) -> None:
    from chatcli.providers.refresh import refresh

    spec = find_spec(repl.conversation.provider.name)
    look_up = partial(find_key, environment=repl.environment, home=repl.home)
    models = await refresh(spec, repl.environment, look_up, repl.home, repl.conversation.settings)
    repl.tell(_("{provider} lists {n} models.").format(provider=spec.name, n=len(models)))


def _read(text: str, current: str) -> tuple[str, str]:
    """Provider and model that `text` names; an empty model is the provider's default."""
    head, slash, rest = text.replace(" ", "/", 1).partition("/")
    try:
        return find_spec(head).name, rest.strip()
    except UsageError:
        if slash and " " in text:
            raise
        return current, text


def _words(repl: Repl) -> list[str]:
    """Providers, and the models that their services have listed."""
    listed = [
        f"{spec.name}/{model}" for spec in all_specs() for model in read_list(repl.home / FOLDER, spec.name)
    ]
    return [*(spec.name for spec in all_specs()), *listed, _REFRESH]


COMMANDS = (
    Command(
        name="model",
        arguments="[PROVIDER/ID | refresh]",
        help=lambda: _("choose the model"),
        run=_model,
        words=_words,
    ),
    Command(
        name="switch",
        arguments="[PROVIDER]",
        help=lambda: _("choose the provider"),
        run=_switch,
        words=lambda _repl: [spec.name for spec in all_specs()],
    ),
)
