"""`chatcli models`: models of a provider with their window and price."""

from __future__ import annotations

import asyncio
import shlex
from functools import partial
from pathlib import Path

from chatcli.errors import UsageError
from chatcli.i18n import _
from chatcli.providers import table
from chatcli.providers.model_rows import ModelRow, model_rows
from chatcli.terminal.commands_cli.place import Place
from chatcli.terminal.commands_cli.used import provider_in_use, settings_here
from chatcli.terminal.figures import money, short_count


def keep_assistant(place: Place, file: str) -> int:
    """Keep an exported assistant, so that it can be chosen as a model of OPENAI_ASSISTANT."""
    from chatcli.providers.assistants import import_assistant

    kept = import_assistant(Path(file).expanduser(), place.home)
    place.out.line(f"--provider OPENAI_ASSISTANT --model {shlex.quote(kept.title)}")
    return 0


def list_models(
    place: Place, *, provider: str = "", word: str = "", fresh: bool = False, output: str = "text"
) -> int:
    """The models of one provider whose id holds `word`, which may also be the name of a provider.

    `fresh`: the service is asked for its list first. Raises `UsageError` when no id holds the word.
    """
    if not provider and _is_provider(word):
        provider, word = word, ""
    spec = table.find_spec(provider) if provider else provider_in_use(place).spec
    if fresh:
        from chatcli.providers.credentials import find_key
        from chatcli.providers.refresh import refresh

        look_up = partial(find_key, environment=place.environment, home=place.home)
        settings = settings_here(place).settings
        asyncio.run(refresh(spec, place.environment, look_up, place.home, settings))
    rows = model_rows(spec, place.environment, place.home, word=word)
    if output == "json":
        place.out.json(rows)
        return 0
    if not rows and word:
        raise UsageError(
            _("No model of {provider} is called {word!r}.").format(provider=spec.name, word=word),
            hint=_("chatcli models --provider NAME lists those of another provider."),
        )
    place.out.line(spec.name, "bold")
    place.out.table((_("model"), _("window"), _("$ in/M"), _("$ out/M"), ""), [_cells(row) for row in rows])
    return 0


def _is_provider(word: str) -> bool:
    try:
        table.find_spec(word)
    except UsageError:
        return False
    return True


def _cells(row: ModelRow) -> tuple[str, ...]:
    window = short_count(row.window_tokens) if row.window_known else _assumed(row.window_tokens)
    mark = _("used unless you choose another") if row.usual else ""
    return (row.id, window, money(row.input_usd), money(row.output_usd), mark)


def _assumed(window_tokens: int) -> str:
    """Nobody knows the window: this is what chatcli works with."""
    return f"{short_count(window_tokens)}?"
