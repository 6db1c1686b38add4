"""`chatcli sessions cost`: what `/cost` tells, of any session."""

from __future__ import annotations

from pathlib import Path

from chatcli.agent.cost.report import cost_report
from chatcli.agent.recording import read_state
from chatcli.errors import UsageError
from chatcli.i18n import _
from chatcli.session.files import storage_errors, write_durably
from chatcli.session.listing import latest
from chatcli.terminal.commands_cli.place import Place
from chatcli.terminal.cost.as_json import cost_object
from chatcli.terminal.cost.lines import cost_lines
from chatcli.terminal.cost.page import cost_page
from chatcli.terminal.cost.whylines import why_lines


def show_cost(
    place: Place, wanted: str, *, why: bool = False, html: str = "", force: bool = False, output: str = "text"
) -> int:
    """Of the session `wanted`, or the last one of this folder. Raises `UserFacingError`.

    A file that exists is replaced only by `force`.
    """
    found = wanted or latest(place.home, place.folder)
    if not found:
        raise UsageError(_("No session of this folder yet."), hint=_("`chatcli sessions` lists them."))
    report, out = cost_report(read_state(place.home, found)), place.out
    if html:
        path = place.folder / Path(html).expanduser()
        with storage_errors(path):
            if path.exists() and not force:
                raise UsageError(_("{path} exists.").format(path=path), hint=_("--force replaces it."))
            write_durably(path, cost_page(report).encode("utf-8"))
        out.line(_("Written to {path}").format(path=path))
    elif output == "json":
        out.json(cost_object(report))
    elif not report.total.requests:
        out.line(_("Nothing was sent yet."))
    elif why:
        out.drawn(why_lines(report, out.columns, out.look))
    else:
        out.drawn(cost_lines(report, out.columns, out.look))
    return 0
