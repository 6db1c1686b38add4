"""What a person should know before the first word, in one line each."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from chatcli.agent.conversation import Conversation
from chatcli.agent.persona import MAX_CHARS, read_persona
from chatcli.agent.text_protocol.provider import TextTools
from chatcli.events import Notice, NoticeLevel
from chatcli.extensions.rules import Rules
from chatcli.gate.screen import one_line
from chatcli.i18n import _
from chatcli.providers.base import Provider
from chatcli.providers.catalogue import UNKNOWN, facts
from chatcli.providers.failover import Failover
from chatcli.providers.specs import find_spec
from chatcli.session.session import Session
from chatcli.settings import Settings


def opening_notices(conversation: Conversation) -> Iterator[Notice]:
    """What was left out of settings and plugins, a provider without tools, what a resume had to mend."""
    for problem in conversation.loaded.problems:
        text = f"{problem.variable} ({problem.layer}): {problem.reason}"
        if problem.used is not None:
            text += " · " + _("using {value}").format(value=problem.used)
        yield Notice("warning", text)
    for broken in conversation.registry.broken:
        text = _("Plugin {source} is left out: {reason}")
        yield Notice("warning", text.format(source=broken.source, reason=broken.reason))
    yield from provider_notices(conversation.provider, conversation.settings)
    yield from _about_rules(conversation.rules, conversation.session.folder)
    if omitted := read_persona(conversation.sessions.home).omitted_chars:
        text = _("persona.md is longer than {max} characters: the last {n} are left out.")
        yield Notice("warning", text.format(max=MAX_CHARS, n=omitted))
    yield from _mended(conversation.session)


def provider_notices(provider: Provider, settings: Settings) -> Iterator[Notice]:
    """What a person should know of whoever answers from now on."""
    spec = find_spec(provider.name)
    if spec.wire == "local":
        from chatcli.providers.local.provider import Local  # nobody else needs it

        if isinstance(local := _behind(provider), Local):
            level: NoticeLevel = "info" if local.about.usable else "warning"
            yield Notice(level, f"{one_line(local.model)}: {local.about.worth}")
    if not spec.free and not settings.context_window_tokens and facts(provider.model, spec.name) is UNKNOWN:
        text = _(
            "Nobody has said how large the window of {model} is: {n} tokens are assumed. "
            "CHATCLI_CONTEXT_WINDOW says it."
        )
        yield Notice("info", text.format(model=provider.model, n=provider.window_tokens))


def _behind(provider: Provider) -> Provider:
    """The one that talks to the service itself."""
    if isinstance(provider, Failover):
        provider = provider.current
    return provider.inner if isinstance(provider, TextTools) else provider


def _about_rules(rules: Rules, folder: Path) -> Iterator[Notice]:
    if rules.untrusted:
        names = ", ".join(os.path.relpath(path, folder) for path in rules.untrusted)
        text = _("Not followed, because this folder is not trusted: {files}. `chatcli trust` changes that.")
        yield Notice("info", text.format(files=one_line(names)))
    for path in rules.omitted:
        text = _("{file} is too long or no text: it is left out of the rules.")
        yield Notice("warning", text.format(file=one_line(os.path.relpath(path, folder))))


def _mended(session: Session) -> Iterator[Notice]:
    if session.torn_bytes:
        text = _("An unfinished entry of {n} bytes was cut off the journal.")
        yield Notice("info", text.format(n=session.torn_bytes))
    for result in session.repaired:
        text = _("The call of {tool} had no result when the session ended: {status}.")
        yield Notice("info", text.format(tool=result.name, status=result.status))
    if session.skipped_entries:
        text = _("{n} entries were written by a newer chatcli and are skipped.")
        yield Notice("warning", text.format(n=session.skipped_entries))
    if session.workspace_moved:
        yield Notice("info", _("The workspace has a new folder: files named earlier are found there."))
