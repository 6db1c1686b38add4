"""The stable blocks of the system prompt: rendered once per session, archived, reused on resume.

They hold nothing that may change while a session lives: no clock, no folder state, no mode. Those
go into the context note of the newest user message (`chatcli.agent.note`).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from chatcli.agent.persona import read_persona
from chatcli.agent.prompts import prompt
from chatcli.errors import DamagedOriginal
from chatcli.providers.base import Block
from chatcli.session.session import Session

_LANGUAGE = {
    "en": "Answer in the language of the user's message; when in doubt, in English.",
    "pt_BR": "Answer in the language of the user's message; when in doubt, in Brazilian Portuguese.",
}


def stable_blocks(
    session: Session, language: str, rules: str, home: Path, digest: Callable[[], str]
) -> tuple[Block, ...]:
    """The blocks of this session: those it was started with, else rendered now and archived.

    `digest` makes the block of the memory.
    """
    if (archived := _archived_blocks(session)) is not None:
        return archived
    blocks = render_blocks(language, rules, read_persona(home).text, digest())
    session.set_state(prompt_key=session.archive.put(msgspec.json.encode(blocks)).key)
    return blocks


def _archived_blocks(session: Session) -> tuple[Block, ...] | None:
    """None when there are none yet, or somebody removed or damaged them."""
    if not (session.prompt_key and session.archive.has(session.prompt_key)):
        return None
    try:
        return msgspec.json.decode(session.archive.text(session.prompt_key), type=tuple[Block, ...])
    except (msgspec.MsgspecError, DamagedOriginal):
        return None


def render_blocks(language: str, rules: str, persona: str, digest: str = "") -> tuple[Block, ...]:
    """`rules` and `persona` are what the user wrote, `digest` what is remembered; empty without any."""
    core = f"{prompt('core')}\n{_LANGUAGE[language]}"
    if persona:
        core += f"\n\n# Persona\n{persona}"
    blocks = [Block("core", core)]
    if rules:
        blocks.append(Block("rules", rules))
    if digest:
        blocks.append(Block("memory", digest))
    return tuple(blocks)
