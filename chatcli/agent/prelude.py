"""What happens to the user's words before the loop sees them: who answers, what goes with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct

from chatcli.agent.attach import attach_file, attach_stream
from chatcli.agent.images import unseen
from chatcli.agent.inbox import Inbox
from chatcli.errors import UserFacingError
from chatcli.events import Listener, Notice
from chatcli.i18n import _
from chatcli.messages import Attachment, Image, Text
from chatcli.providers.base import Provider
from chatcli.session.session import Session
from chatcli.settings import Settings, SmartRoute


def tip_about(text: str, *, mode: str, route: SmartRoute, provider: Provider) -> str:
    """What to tell when this text, given to the agent, is a question that needs no tools; else empty."""
    # OFFLINE answers nothing in chat.
    if route == "off" or mode != "agent" or provider.name == "OFFLINE":
        return ""
    from chatcli.agent.routing import looks_conversational  # its words are read from disk

    if not looks_conversational(text):
        return ""
    if route == "auto":
        return _("A question that needs no tools: answered in chat. /run TEXT always runs the agent.")
    return _("Tip: this looks like a question that needs no tools. /chat TEXT answers it for less.")


class Attaching(Struct, frozen=True, kw_only=True):
    """Takes files into a session, for the provider that will be sent them."""

    session: Session
    settings: Settings
    provider: Provider
    listen: Listener

    def files(self, paths: Sequence[Path], piped: BinaryIO | None = None) -> list[Attachment | Image]:
        """What goes with a message; `piped` is what came on standard input. Raises a `UserFacingError`."""
        found = [attach_file(path, self.session, self.settings, self.provider) for path in paths]
        if told := unseen([file for file in found if isinstance(file, Image)], self.provider):
            self.listen(Notice("warning", told))
        if piped is not None:
            found.append(attach_stream("stdin", piped, self.session, self.settings))
        return found

    def queued(self, inbox: Inbox) -> Iterator[tuple[Text, list[Attachment | Image]]]:
        """A file that cannot be attached is told: the message was waited for and goes without it."""
        for waiting in inbox.take():
            files: list[Attachment | Image] = []
            for path in waiting.files:
                try:
                    files += self.files([path])
                except UserFacingError as error:
                    self.listen(Notice("error", error.message))
            yield Text(waiting.text), files
