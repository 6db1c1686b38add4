"""Repairs a request in which calls and results do not pair, after a service has refused it.

That it was refused for this is not read out of its words: services have no code for it. The request
itself is looked at, and only one that is really broken is made anew, from the transcript alone.
"""

from __future__ import annotations

import logging

from chatcli.agent.requests import commit, draft
from chatcli.agent.run import Run
from chatcli.context.pairing import ensure_tool_result_pairing
from chatcli.errors import BadRequest
from chatcli.events import Notice
from chatcli.i18n import _
from chatcli.providers.base import Request

logger = logging.getLogger(__name__)


def repaired(run: Run, refused: Request, error: BadRequest) -> Request:
    """The request to send instead of the refused one. Raises `error` when its pairs were right."""
    paired, report = ensure_tool_result_pairing(refused.messages)
    if paired is refused.messages:
        raise error
    logger.error("a request was sent whose calls and results do not pair: %s; %s", report, error.message)
    text = _("A request of chatcli was broken and was refused: this is a bug of chatcli. It is sent again.")
    run.listen(Notice("warning", text))
    run.pipeline.forget()
    run.stored_marks = ()
    return commit(run, draft(run))
