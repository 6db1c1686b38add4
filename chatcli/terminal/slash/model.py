"""/model: what answers, and changing it without losing the conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from chatcli.agent.start import connect
from chatcli.errors import UsageError
from chatcli.gate.screen import one_line
from chatcli.i18n import _
from chatcli.providers.specs import SPECS, find_spec
from chatcli.terminal.slash.command import Command

if TYPE_CHECKING:
    from chatcli.terminal.loop import Repl


async def _model(repl: Repl, text: str) -> None:
    conversation = repl.conversation
    if not text:
        provider = conversation.provider
        repl.tell(f"{provider.name}/{one_line(provider.model)}")
        repl.tell(_("/model PROVIDER/ID, /model PROVIDER or /model ID changes it."))
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


def _read(text: str, current: str) -> tuple[str, str]:
    """Provider and model that `text` names; an empty model is the provider's default."""
    head, slash, rest = text.replace(" ", "/", 1).partition("/")
    try:
        return find_spec(head).name, rest.strip()
    except UsageError:
        if slash and " " in text:
            raise
        return current, text


def _providers(_repl: Repl) -> list[str]:
    return [spec.name for spec in SPECS]


COMMANDS = (
    Command(
        name="model",
        arguments="[PROVIDER/ID]",
        help=lambda: _("show or change the model"),
        run=_model,
        words=_providers,
    ),
)
