"""The three modes. One loop, one transcript, one tool list: a mode sets words and autonomy only.

What a mode means is said once, in the stable system block; which mode is in force stands in the
context note of each user message. Switching modes therefore changes no byte that was sent before.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

ModeName = Literal["chat", "agent", "coder"]
MODES: tuple[ModeName, ...] = ("chat", "agent", "coder")

CHAT_REFUSAL = (
    "Not available in /chat: no tool runs in this mode. Answer from what you already know and see; "
    "if the task needs tools, say so and suggest /agent or /coder."
)


class Mode(Struct, frozen=True, kw_only=True):
    name: ModeName
    runs_tools: bool
    max_turns: int | None = None
    """None: the setting decides."""


CHAT = Mode(name="chat", runs_tools=False, max_turns=2)
AGENT = Mode(name="agent", runs_tools=True)
CODER = Mode(name="coder", runs_tools=True)

_BY_NAME: dict[str, Mode] = {mode.name: mode for mode in (CHAT, AGENT, CODER)}


def mode_named(name: str) -> Mode:
    """Raises KeyError for a name that is no mode."""
    return _BY_NAME[name]


def split_mode(text: str, default: str) -> tuple[str, str]:
    """The mode that a line starts with, and the rest: `/coder fix it` -> `("coder", "fix it")`.

    `/run` always means the loop: agent, or coder where that is the current mode.
    """
    words = text.strip()
    head, rest = [*words.split(maxsplit=1), "", ""][:2]
    match head:
        case "/chat" | "/agent" | "/coder":
            return head[1:], rest
        case "/run":
            return ("coder" if default == "coder" else "agent"), rest
        case _:
            return default, words


def asks_for_the_loop(text: str) -> bool:
    """`/run TEXT`: never anything but the loop."""
    return text.split(maxsplit=1)[:1] == ["/run"]
