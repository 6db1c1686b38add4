"""What happens to the user's words before the loop sees them: who answers, what goes with them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from chatcli.i18n import _
from chatcli.messages import Text, UserMessage, UserPart
from chatcli.providers.base import Provider
from chatcli.session.session import Session
from chatcli.settings import SmartRoute


def tip_about(text: str, *, mode: str, route: SmartRoute, provider: Provider) -> str:
    """What to tell when this text, given to the agent, is a question that needs no tools; else empty."""
    # OFFLINE answers nothing in chat.
    if route == "off" or mode != "agent" or provider.name == "OFFLINE":
        return ""
    from chatcli.agent.judgement.routing import looks_conversational  # its words are read from disk

    if not looks_conversational(text):
        return ""
    if route == "auto":
        return _("A question that needs no tools: answered in chat. /run TEXT always runs the agent.")
    return _("Tip: this looks like a question that needs no tools. /chat TEXT answers it for less.")


async def take_in(
    session: Session, text: str, files: Sequence[UserPart], recall: Callable[[], Awaitable[str]], note: str
) -> UserMessage:
    """Journal the user's words with what goes with them.

    Whatever ends the recall, a cancel too, the words are journalled.
    """
    recalled = ""
    try:
        recalled = await recall()
    finally:
        context = [Text(part, origin="context") for part in (recalled, note) if part]
        message = session.add_user((Text(text), *files, *context))
    return message
