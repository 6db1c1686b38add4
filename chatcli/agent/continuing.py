"""Replies that are not whole, and how a run goes on from them: visibly, and not for ever.

A call that the output limit cut never runs: the limit is raised where the model can write more, else
the call is asked for in parts. Words that were cut, by the limit or with the connection, are kept,
and the model is asked to go on behind them. A reply without anything in it is asked for once more.
"""

from __future__ import annotations

from collections.abc import Mapping

from chatcli.agent.run import Run
from chatcli.agent.text_protocol.rendering import format_error
from chatcli.errors import ContextOverflow, ProviderError
from chatcli.events import Notice, Reply
from chatcli.i18n import _, filled
from chatcli.messages import Text
from chatcli.providers.catalogue import facts

MOST_IN_A_ROW = 2
_AT_THE_LIMIT = 0.9
"""A reply that used so much of what its model can write was cut by the model's own limit."""

CALL_CUT = (
    "Not run: your reply reached its output limit in the middle of this call, and what there was of its "
    "arguments is lost. "
)
_AGAIN = "The limit is higher now: make the call once more, whole."
_IN_PARTS = (
    "Make it once more in parts, each much shorter than what you wrote: of a file, write the beginning and "
    "add the rest with further calls."
)
_GO_ON_BEHIND_LIMIT = (
    "[chatcli: your reply reached its output limit. Go on exactly where it stopped, without repeating "
    "anything. If a call does not fit into one reply, make several smaller ones.]"
)
_GO_ON_BEHIND_BREAK = (
    "[chatcli: your reply was interrupted. Go on exactly where it stopped, without repeating anything.]"
)
_EMPTY = "[chatcli: your reply was empty. Answer the user, or go on with the task.]"


class Continuing:
    """For one run."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._limit_is_users = run.max_output_tokens > 0
        self._in_a_row = 0
        self._reminded = False
        self._asked_again = False

    @property
    def exhausted(self) -> bool:
        """Too many replies in a row were cut."""
        return self._in_a_row > MOST_IN_A_ROW

    def must_not_run(self, reply: Reply) -> Mapping[str, str]:
        """The call that was cut, by its id, with what the model is told in place of a result."""
        if not reply.cut_call_id:
            self._in_a_row = 0
            return {}
        self._in_a_row += 1
        raised_to_tokens = self._raise_limit(reply)
        text = _("The reply reached its output limit in the middle of a call, which was not run.")
        if raised_to_tokens:
            text += " " + filled(_("The limit is now {n:,} tokens."), n=raised_to_tokens)
        elif not self.exhausted:
            text += " " + _("It is asked for in parts.")
        self._run.listen(Notice("warning", text))
        return {reply.cut_call_id: CALL_CUT + (_AGAIN if raised_to_tokens else _IN_PARTS)}

    def after_words(self, reply: Reply) -> bool:
        """Whether the run goes on after a reply without calls: then the model was told what is missing."""
        if reply.stop_reason == "max_tokens":
            return self._go_on_behind_limit(reply)
        if reply.unreadable_call:
            return self._remind()
        return reply.stop_reason == "end" and not self._run.text.strip() and self._ask_again()

    def after_break(self, error: ProviderError, spoken: str) -> bool:
        """Whether the run goes on after a reply that failed when something of it had been seen."""
        if not ((error.retryable or isinstance(error, ContextOverflow)) and self._may_go_on()):
            return False
        if spoken.strip():
            text = _("{why} What was said is kept, and the reply goes on.")
            self._tell_to_go_on(text.format(why=error.message), _GO_ON_BEHIND_BREAK)
        else:
            self._in_a_row += 1
            text = _("{why} The reply begins anew.")
            self._run.listen(Notice("warning", text.format(why=error.message)))
        return True

    def remind_beside_calls(self, reply: Reply) -> None:
        """Some calls of a reply ran, another could not be read."""
        if reply.unreadable_call:
            self._remind()

    def _go_on_behind_limit(self, reply: Reply) -> bool:
        # A limit that the user has set is kept for words: he is told that they were cut.
        if self._limit_is_users or not self._may_go_on():
            return False
        raised = self._raise_limit(reply)
        if not (raised or any(isinstance(part, Text) for part in reply.parts)):
            return False  # all of it was thought, and there is no room for more
        self._tell_to_go_on(_("The reply reached its output limit, and goes on."), _GO_ON_BEHIND_LIMIT)
        return True

    def _may_go_on(self) -> bool:
        return self._in_a_row < MOST_IN_A_ROW and self._run.turns < self._run.limits.max_turns

    def _tell_to_go_on(self, to_person: str, to_model: str) -> None:
        self._in_a_row += 1
        self._run.begun = self._run.text
        self._tell(to_person, to_model)

    def _tell(self, to_person: str, to_model: str) -> None:
        self._run.session.add_user((Text(to_model, origin="notice"),))
        self._run.listen(Notice("warning", to_person))

    def _remind(self) -> bool:
        if self._reminded or not self._run.mode.runs_tools:
            return False
        self._reminded = True
        text = _("The model made a call that cannot be read: it is told how to write one.")
        self._tell(text, format_error())
        return True

    def _ask_again(self) -> bool:
        """For the answer that an empty reply left out, once."""
        if self._asked_again or self._run.turns >= self._run.limits.max_turns:
            return False
        self._asked_again = True
        self._tell(_("The model returned an empty reply: it is asked once more."), _EMPTY)
        return True

    def _raise_limit(self, reply: Reply) -> int:
        """The new limit in tokens, or 0 when the model has written as much as it can."""
        run = self._run
        most_tokens = facts(run.provider.model, run.provider.name).max_output_tokens
        if max(reply.usage.output, run.max_output_tokens) > _AT_THE_LIMIT * most_tokens:
            return 0
        run.max_output_tokens = most_tokens
        return most_tokens
