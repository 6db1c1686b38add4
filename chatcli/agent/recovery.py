"""Makes a request fit the window.

Three levels, each tried once: what is old enough is shortened; the model sums up what is older than
the last turns; the task and the last turn alone are kept. A level that does not make enough room is
not recorded, and the next one is tried. Room is made when the window is nearly full, or when the
service says that a request does not fit, whatever was expected.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping

from msgspec import structs

from chatcli.agent.compaction import kept_cut, leave_out, without_model
from chatcli.agent.requests import Draft, commit, draft
from chatcli.agent.run import Run
from chatcli.agent.summary import summarise
from chatcli.context.compaction import position_after
from chatcli.context.recovery import last_cut, words_that_fit
from chatcli.context.tokens import estimate_request_tokens, estimate_tokens
from chatcli.errors import ContextOverflow
from chatcli.events import Notice
from chatcli.i18n import _, filled
from chatcli.messages import Presentation, ToolResult
from chatcli.providers.base import Request
from chatcli.session.entries import Compacted, CompactionReason, Decision

FULL = 0.92
"""Of the window: from here on room is made before the request is sent."""
_ROOMY = 0.82
"""What the first two levels must reach, so that they are not needed again in the next turn."""
_SQUEEZED = 0.5
"""Of the window: what a request is brought down to where the last turn itself is too long."""
_SUMMARY = 0.1
"""Of the window: what a summary may take there."""
_WORDS = 0.05
"""Of the window: what the user's earlier words may take then."""


class Recovery:
    """For one request."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._scale = 1.0
        """What is expected is multiplied by this, since the service has refused what should have fit."""
        self._summary = ""
        self._levels: Iterator[Callable[[Request, CompactionReason], Awaitable[Request | None]]] = iter(
            (self._shorten, self._sum_up, self._keep_last_turn)
        )

    async def first_request(self) -> Request:
        """The next request, with room made for it if need be. Raises `ContextOverflow` when it cannot fit."""
        drafted = draft(self._run)
        if self._expected(drafted.request) <= FULL * self._window_tokens:
            return commit(self._run, drafted)
        smaller = await self._shrink(drafted.request, "pressure")
        if smaller is not None:
            return smaller
        if self._expected(drafted.request) > self._window_tokens:
            raise self._nothing_left(drafted.request)
        return commit(self._run, draft(self._run))

    async def smaller_request(self, request: Request, error: ContextOverflow) -> Request:
        """Instead of `request`, which the service refused. Raises `ContextOverflow` when nothing is left."""
        self._scale = max(self._scale, self._window_tokens / max(1, self._counted(request)))
        smaller = await self._shrink(request, "overflow")
        if smaller is None:
            raise self._nothing_left(request) from error
        return smaller

    async def _shrink(self, request: Request, reason: CompactionReason) -> Request | None:
        self._require_room_beside_prompt(request)
        for level in self._levels:
            if (smaller := await level(request, reason)) is not None:
                return smaller
        return None

    # --- levels ---------------------------------------------------------------------------------

    async def _shorten(self, request: Request, reason: CompactionReason) -> Request | None:
        drafted = draft(self._run, overflow=True)
        if drafted.view.rewrite is None or self._expected(drafted.request) > _ROOMY * self._window_tokens:
            return None
        return commit(self._run, drafted)

    async def _sum_up(self, request: Request, reason: CompactionReason) -> Request | None:
        # As it was sent before, without what would be rewritten now: so it is read from the cache.
        known = draft(self._run, rewrites=False).request
        before_last_turn = last_cut(known.messages, self._run.session.summed_up_to)
        if before_last_turn is None:
            return None
        self._run.listen(Notice("info", _("The window is full: what is older is being summed up.")))
        self._summary = await summarise(self._run, known, known.messages[:before_last_turn])
        if not self._summary:
            return None
        compaction = leave_out(self._run, known, kept_cut(self._run, known), self._summary, reason)
        for wanted in dict.fromkeys([compaction, structs.replace(compaction, pinned=())]):
            if (smaller := self._compact(wanted, request, _ROOMY * self._window_tokens)) is not None:
                return smaller
        return None

    async def _keep_last_turn(self, request: Request, reason: CompactionReason) -> Request | None:
        compaction = self._last_turn_only(request, reason)
        drafted = draft(self._run, overflow=True, compaction=compaction)
        squeezed = self._squeezed(drafted)
        return self._compact(compaction, request, self._expected(request) - 1, squeezed)

    def _last_turn_only(self, request: Request, reason: CompactionReason) -> Compacted | None:
        """The compaction that leaves out most; None when there is nothing before the last turn."""
        cut = last_cut(request.messages, self._run.session.summed_up_to)
        if cut is None:
            return None
        session = self._run.session
        left_out = session.transcript[: position_after(session.transcript, request.messages[cut].seq - 1)]
        summary = self._short_summary(request) or without_model(session, left_out)
        words_from_seq = words_that_fit(left_out, self._estimate_of(_WORDS, request))
        compaction = leave_out(self._run, request, cut, summary, reason)
        return structs.replace(compaction, words_from_seq=words_from_seq, pinned=(), only_task=True)

    def _short_summary(self, request: Request) -> str:
        """What the model made in vain at the level before, if there is room for it."""
        room_tokens = self._estimate_of(_SUMMARY, request)
        return self._summary if estimate_tokens(self._summary) <= room_tokens else ""

    def _squeezed(self, drafted: Draft) -> Mapping[int, Presentation]:
        """How the results of the last turn are shown so that half of the window stays free."""
        tokens_of = self._run.pipeline.tokens_of
        results_tokens = sum(tokens_of(m) for m in drafted.view.messages if isinstance(m, ToolResult))
        other_tokens = estimate_request_tokens(drafted.request) - results_tokens
        budget_tokens = self._estimate_of(_SQUEEZED, drafted.request) - other_tokens
        if results_tokens <= budget_tokens:
            return {}
        return self._run.pipeline.squeezed(drafted.view, budget_tokens)

    def _compact(
        self,
        compaction: Compacted | None,
        request: Request,
        most_tokens: float,
        squeezed: Mapping[int, Presentation] | None = None,
    ) -> Request | None:
        """Record what makes the request smaller than `most_tokens`, and put it together."""
        run = self._run
        smaller = draft(run, overflow=True, compaction=compaction, squeezed=squeezed).request
        if self._expected(smaller) > most_tokens:
            return None
        after_tokens = self._counted(smaller)
        told = _("Room was made: {before:,} → {after:,} tokens.")
        if compaction is not None:
            run.session.record_compaction(structs.replace(compaction, after_tokens=after_tokens))
            told += " " + _("/compact undo shows the model all of it again.")
        if squeezed:
            shown = [Decision(seq, presentation, "overflow") for seq, presentation in squeezed.items()]
            run.session.record_decisions(shown)
        run.listen(Notice("info", filled(told, before=self._counted(request), after=after_tokens)))
        run.stored_marks = ()
        return commit(run, draft(run, overflow=True))

    # --- sizes ----------------------------------------------------------------------------------

    @property
    def _window_tokens(self) -> int:
        return self._run.provider.window_tokens

    def _expected(self, request: Request) -> int:
        return round(self._scale * self._counted(request))

    def _counted(self, request: Request) -> int:
        return self._run.meter.size_tokens(request, self._run.provider)

    def _estimate_of(self, share: float, request: Request) -> int:
        """A share of the window, in tokens as they are estimated."""
        ratio = self._expected(request) / max(1, estimate_request_tokens(request))
        return round(share * self._window_tokens / ratio)

    def _require_room_beside_prompt(self, request: Request) -> None:
        fixed = estimate_request_tokens(structs.replace(request, messages=()))
        share = fixed / max(1, estimate_request_tokens(request))
        if share * self._expected(request) > FULL * self._window_tokens:
            text = _("The system prompt and the tools alone, about {n:,} tokens, fill the window of {model}.")
            hint = _("Use a model with a larger window, or set CHATCLI_CONTEXT_WINDOW if it has one.")
            raise self._does_not_fit(text, round(share * self._counted(request)), hint)

    def _nothing_left(self, request: Request) -> ContextOverflow:
        text = _("About {n:,} tokens do not fit the window of {model}, and nothing is left to shorten.")
        hint = _("Use a model with a larger window, or begin anew with /clear and ask for less at once.")
        return self._does_not_fit(text, self._counted(request), hint)

    def _does_not_fit(self, text: str, tokens: int, hint: str) -> ContextOverflow:
        provider = self._run.provider
        return ContextOverflow(
            filled(text, n=tokens, model=provider.model), hint=hint, provider=provider.name
        )
