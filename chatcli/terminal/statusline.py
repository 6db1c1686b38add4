"""The bottom line: where we are, what answers, how full the window is, what it cost."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from chatcli.agent.branch import current_branch
from chatcli.gate.screen import one_line
from chatcli.i18n import _
from chatcli.terminal.cells import clip, clip_start, width_cells
from chatcli.terminal.figures import money, percent

if TYPE_CHECKING:
    from chatcli.agent.conversation import Conversation

_REFRESH_SECONDS = 0.5
_SEPARATOR = " · "
_LONGEST_MODEL_CELLS = 34
_LONGEST_FOLDER_CELLS = 40
_LONGEST_BRANCH_CELLS = 24


class Status(Struct, frozen=True, kw_only=True):
    """What the line tells. `cost_usd` is None when a price is unknown, `requests` 0 at first."""

    mode: str
    provider: str
    model: str
    folder: Path
    branch: str
    autonomy: str
    context_tokens: int
    window_tokens: int
    cost_usd: float | None
    requests: int
    queued: int


class StatusSource:
    """Looks at a conversation when the line is drawn; what costs time is looked at now and then."""

    def __init__(self, conversation: Conversation, home: Path | None) -> None:
        self._conversation = conversation
        self._home = home
        self._seen_seconds = -_REFRESH_SECONDS
        self._branch = ""
        self._counted = ("", 0)
        self._cost_usd: float | None = 0.0

    def line(self, columns: int) -> str:
        """See `status_line`."""
        conversation, now = self._conversation, time.monotonic()
        folder = conversation.session.folder
        if now - self._seen_seconds >= _REFRESH_SECONDS:
            self._seen_seconds = now
            self._branch = current_branch(folder)
        counted = (conversation.session.id, len(conversation.session.usage))
        if counted != self._counted:
            self._counted = counted
            self._cost_usd = conversation.spent.usd
        status = Status(
            mode=conversation.mode,
            provider=conversation.provider.name,
            model=conversation.provider.model,
            folder=folder,
            branch=self._branch,
            autonomy=conversation.autonomy,
            context_tokens=conversation.context_tokens,
            window_tokens=conversation.window_tokens,
            cost_usd=self._cost_usd,
            requests=counted[1],
            queued=len(conversation.inbox),
        )
        return status_line(status, columns, self._home)


def status_line(status: Status, columns: int, home: Path | None = None) -> str:
    """One line of at most `columns` cells: what does not fit is left out, the least important first."""
    parts = _parts(status, columns, home)
    kept: set[int] = set()
    for rank, _text in sorted(parts):
        if width_cells(_joined(parts, kept | {rank})) <= columns:
            kept.add(rank)
    return _joined(parts, kept) if 0 in kept else clip(parts[0][1], columns)


def _parts(status: Status, columns: int, home: Path | None) -> list[tuple[int, str]]:
    """`(rank, text)` from left to right; rank 0 is the most important."""
    mode = f"{status.mode} ({status.autonomy})"
    model = f"{status.provider}/{status.model}" if status.model else status.provider
    # What answers is always on the screen, whole or cut.
    room = max(columns - len(mode) - len(_SEPARATOR), 1)
    parts = [
        (0, mode),
        (1, clip(one_line(model), min(room, _LONGEST_MODEL_CELLS))),
        (5, clip_start(one_line(_short(status.folder, home)), _LONGEST_FOLDER_CELLS)),
    ]
    if status.branch:
        parts.append((6, clip(one_line(status.branch), _LONGEST_BRANCH_CELLS)))
    if status.context_tokens:
        parts.append((3, f"{percent(status.context_tokens, status.window_tokens)} %"))
    if status.requests:
        cost = _("cost unknown") if status.cost_usd is None else money(status.cost_usd)
        parts.append((4, cost))
    if status.queued:
        parts.append((2, _("{n} queued").format(n=status.queued)))
    return parts


def _joined(parts: list[tuple[int, str]], ranks: set[int]) -> str:
    return _SEPARATOR.join(text for rank, text in parts if rank in ranks)


def _short(folder: Path, home: Path | None) -> str:
    if home and folder.is_relative_to(home):
        rest = folder.relative_to(home)
        return "~" if rest == Path() else f"~/{rest}"
    return str(folder)
