"""How much of a new result is shown: the tool's cap, the limit of one result, the budget of a turn.

All limits are decided together and one presentation is rendered, from the original. What was
decided once stays: only results without a recorded presentation are judged by the limits in force.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct, structs

from chatcli.context.limits import REDUCED, SMALLEST_CHARS, SMALLEST_TOKENS, Limits
from chatcli.context.notice import offload_notice
from chatcli.context.present import excerpt, is_stored, present, present_as_lost, saved_path, size_chars
from chatcli.context.previews import fit
from chatcli.context.reduction import may_be_reduced, reduce
from chatcli.context.store import ResultStore
from chatcli.context.tokens import estimate_tokens
from chatcli.errors import StorageError
from chatcli.messages import WHOLE, Message, Presentation, ToolResult
from chatcli.session.entries import Decision


class BudgetReport(Struct, frozen=True):
    """Decisions to be recorded before the request is sent: first presentations, and lost files."""

    decisions: tuple[Decision, ...] = ()


def enforce_tool_result_budget(
    messages: Sequence[Message],
    shown: Mapping[int, Presentation],
    limits: Limits,
    store: ResultStore,
) -> tuple[Sequence[Message], BudgetReport]:
    """Every result with the text that the model reads; `messages` itself when all have it already.

    A result is shown as `shown` says for its `seq`. A new one is *capped* when it is longer than its
    tool's cap, a *preview* when it is longer than one result may be, else whole. Then, while the
    results of a turn are over the turn's budget, the largest new one becomes a preview; if that is
    not enough, all new ones are held to an equal share. What pages itself is limited by its tool's
    cap and the budget, what was asked for verbatim by its cap alone. Pairing must hold.
    """
    out = list(messages)
    decisions: list[Decision] = []
    for start, end in _turns(messages):
        turn = _Turn(messages[start:end], shown, limits, store)
        turn.hold(limits.budget_chars, len, SMALLEST_CHARS)
        if limits.budget_tokens:
            turn.hold(limits.budget_tokens, estimate_tokens, SMALLEST_TOKENS)
        out[start:end] = turn.results
        decisions += turn.decisions()
    changed = any(after is not before for after, before in zip(out, messages, strict=True))
    return out if changed else messages, BudgetReport(tuple(decisions))


def _turns(messages: Sequence[Message]) -> Iterator[tuple[int, int]]:
    """Where the results that answer one assistant message stand."""
    start = 0
    for position, message in enumerate(messages):
        if not isinstance(message, ToolResult):
            if start < position:
                yield start, position
            start = position + 1
    if start < len(messages):
        yield start, len(messages)


class _Turn:
    """The results of one turn while it is decided how the new ones among them are shown."""

    def __init__(
        self,
        results: Sequence[Message],
        shown: Mapping[int, Presentation],
        limits: Limits,
        store: ResultStore,
    ) -> None:
        self._limits = limits
        self._store = store
        self._given = [result for result in results if isinstance(result, ToolResult)]
        self._recorded = [shown.get(result.seq, result.shown) for result in self._given]
        self.results = [
            self._new(result) if recorded is None else _again(result, recorded, store)
            for result, recorded in zip(self._given, self._recorded, strict=True)
        ]

    def hold(self, budget: int, measure: Callable[[str], int], smallest: int) -> None:
        """Shorten new results until the turn is within `budget`, or each of them at `smallest`."""
        sizes = [measure(result.text) for result in self.results]
        excess = sum(sizes) - budget
        long = [position for position in self._open_positions() if sizes[position] > smallest]
        for position in sorted(long, key=lambda position: -sizes[position]):
            if excess <= 0:
                return
            self._preview_of_common_size(position)
            freed = sizes[position] - measure(self.results[position].text)
            sizes[position] -= freed
            excess -= freed
        if excess <= 0:
            return
        share = max(smallest, _equal_share([sizes[position] for position in long], excess))
        for position in long:
            if sizes[position] > share:
                self._preview_within(position, share, by_tokens=measure is estimate_tokens)

    def decisions(self) -> Iterator[Decision]:
        for given, result, recorded in zip(self._given, self.results, self._recorded, strict=True):
            if result.shown is None or result.shown == recorded:
                continue
            if recorded is None:
                saved_chars = size_chars(given) - len(result.text)
                yield Decision(result.seq, result.shown, "first", saved_chars)
            else:
                yield Decision(result.seq, result.shown, "file lost")

    def _open_positions(self) -> Iterator[int]:
        """The results that are new and may be shortened for the sake of the turn."""
        for position, result in enumerate(self._given):
            if self._recorded[position] is None and not result.verbatim:
                yield position

    def _new(self, result: ToolResult) -> ToolResult:
        """A new result within the limits that hold for it alone."""
        wanted, most_tokens = self._wanted(result), self._most_tokens(result)
        try:
            if reduced := self._reduced(result):
                return reduced
            if wanted.kind == "whole":
                whole = present(result, WHOLE, self._store)
                if not most_tokens or estimate_tokens(whole.text) <= most_tokens:
                    return whole
                wanted = self._limits.preview
            return self._preview(result, wanted, self._most_chars(result), most_tokens)
        except StorageError as error:
            return present_as_lost(result, wanted, error)

    def _reduced(self, result: ToolResult) -> ToolResult | None:
        """A long log or JSON as its content allows, if that is within the limits; never what pages itself."""
        if not self._limits.reduces or result.self_limited or result.verbatim or not is_stored(result):
            return None
        if not may_be_reduced(size_chars(result)) or reduce(self._store.text(result.original)) is None:
            return None
        most_chars, most_tokens = self._most_chars(result), self._most_tokens(result)
        reduced = self._preview(result, REDUCED, most_chars, most_tokens)
        if len(reduced.text) > most_chars or (most_tokens and estimate_tokens(reduced.text) > most_tokens):
            return None
        return reduced

    def _wanted(self, result: ToolResult) -> Presentation:
        """What the length alone demands."""
        if size_chars(result) > max(result.cap_chars, SMALLEST_CHARS):
            return self._limits.capped
        return self._limits.preview if size_chars(result) > self._most_chars(result) else WHOLE

    def _preview_of_common_size(self, position: int) -> None:
        """Where that is shorter than what is shown."""
        result, wanted = self._given[position], self._limits.preview
        if size_chars(result) <= wanted.head_chars + wanted.tail_chars:
            return
        shorter = self._preview(result, wanted, self._most_chars(result), self._most_tokens(result))
        if len(shorter.text) < len(self.results[position].text):
            self.results[position] = shorter

    def _preview_within(self, position: int, share: int, *, by_tokens: bool) -> None:
        result = self._given[position]
        most_chars = self._most_chars(result) if by_tokens else share
        most_tokens = share if by_tokens else self._most_tokens(result)
        self.results[position] = self._preview(result, self._limits.preview, most_chars, most_tokens)

    def _preview(
        self, result: ToolResult, wanted: Presentation, most_chars: int, most_tokens: int
    ) -> ToolResult:
        path = saved_path(result, self._store)
        if is_stored(result):
            notice = offload_notice(result.name, self._limits.tools, saved=path is not None)
            wanted = structs.replace(wanted, notice=notice)
        fitted = fit(
            excerpt(result, wanted, self._store),
            wanted,
            result.original,
            path,
            max_chars=most_chars,
            max_tokens=most_tokens,
        )
        return present(result, fitted, self._store)

    def _most_chars(self, result: ToolResult) -> int:
        cap_chars = max(result.cap_chars, SMALLEST_CHARS)
        if result.self_limited or result.verbatim:
            return cap_chars
        return min(cap_chars, max(self._limits.max_chars, SMALLEST_CHARS))

    def _most_tokens(self, result: ToolResult) -> int:
        return 0 if result.self_limited or result.verbatim else self._limits.max_tokens


def _again(result: ToolResult, recorded: Presentation, store: ResultStore) -> ToolResult:
    if result.shown == recorded:
        return result
    try:
        return present(result, recorded, store)
    except StorageError as error:
        return present_as_lost(result, recorded, error)


def _equal_share(sizes: Sequence[int], excess: int) -> int:
    """The size to which the largest must come down so that `excess` is freed in all."""
    room = sum(sizes) - excess
    for count, size in zip(range(len(sizes), 0, -1), sorted(sizes), strict=True):
        if size * count > room:
            return max(0, room // count)
        room -= size
    return max(sizes, default=0)
