"""/model: what answers, what else could, and changing it without losing the conversation."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from msgspec import structs

from chatcli.agent.opening import provider_notices
from chatcli.agent.start import connect
from chatcli.errors import UsageError
from chatcli.gate.screen import one_line
from chatcli.i18n import _
from chatcli.providers.credentials import find_key
from chatcli.providers.listing import FOLDER, read_list
from chatcli.providers.specs import all_specs, find_spec
from chatcli.terminal.figures import money, short_count
from chatcli.terminal.slash.command import Command

if TYPE_CHECKING:
    from chatcli.terminal.loop import Repl


_REFRESH = "refresh"


async def _model(repl: Repl, text: str) -> None:
    conversation = repl.conversation
    if not text:
        _show(repl)
        return
    if text == _REFRESH:
        await _refresh(repl)
        return
    provider_name, model = _read(text, conversation.provider.name)
    settings = structs.replace(conversation.settings, provider=provider_name, model=model)
    provider, _reason = connect(settings, home=repl.home, environment=repl.environment)
    await conversation.use_provider(provider)
    repl.tell(
        _("From now on {provider}/{model} answers.").format(
            provider=provider.name, model=one_line(provider.model)
        )
    )
    for notice in provider_notices(provider, settings):
        repl.tell(notice.text, notice.level)


def _show(repl: Repl) -> None:
    """The model in use, and those of its provider with window and price."""
    from chatcli.providers.model_rows import model_rows

    provider = repl.conversation.provider
    rows = model_rows(find_spec(provider.name), repl.environment, repl.home)
    width = max((len(row.id) for row in rows), default=0)
    for row in rows:
        mark = "*" if row.id == provider.model else " "
        window = short_count(row.window_tokens) + ("" if row.window_known else "?")
        price = f"{money(row.input_usd)} / {money(row.output_usd)}"
        repl.tell(f"{mark} {one_line(row.id):<{width}}  {window:>5}  {price}")
    repl.tell(f"{provider.name}/{one_line(provider.model)}")
    repl.tell(
        _("/model PROVIDER/ID, /model PROVIDER or /model ID changes it; /model refresh asks for the list.")
    )


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
        aliases=("switch",),
        arguments="[PROVIDER/ID | refresh]",
        help=lambda: _("show or change the model"),
        run=_model,
        words=_words,
    ),
)
