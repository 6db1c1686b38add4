"""Why cached prefixes were lost, request by request, as lines for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from chatcli.agent.cost.misses import cause_text, reason_of
from chatcli.agent.cost.money import Money
from chatcli.agent.cost.report import CostReport, Loss
from chatcli.gate.screen import one_line
from chatcli.i18n import _, filled, ngettext
from chatcli.terminal.cells import behind, fill
from chatcli.terminal.cost.names import purpose_name
from chatcli.terminal.cost.turnchart import MARKS
from chatcli.terminal.figures import marked_money, short_count
from chatcli.terminal.look import Look


def why_lines(report: CostReport, columns: int, look: Look) -> list[str]:
    """A summary first, then each loss: when, why, and what it cost more than a read would have."""
    if not report.losses:
        return ["", *fill(_("No request lost anything that the cache had."), columns)]
    lines = ["", *(look.paint(row, "bold") for row in fill(loss_summary(report), columns))]
    for loss in report.losses:
        lines += ["", *_loss(loss, columns, look)]
    return lines


def loss_summary(report: CostReport) -> str:
    """How many losses were decided, how many follow from something else that is known, how many do not."""
    losses = report.losses
    decided = [loss for loss in losses if loss.is_decided]
    known = [loss for loss in losses if loss.miss.expected and not loss.is_decided]
    others = [loss for loss in losses if not loss.miss.expected]
    requests = ngettext("{n} request lost what was cached", "{n} requests lost what was cached", len(losses))
    parts = []
    if decided:
        parts.append(_decided(decided, report.shortening.saved))
    if known:
        text = ngettext(
            "{n} that was to be expected ({what})", "{n} that were to be expected ({what})", len(known)
        )
        parts.append(text.format(n=len(known), what=_sums(known)))
    if others:
        text = ngettext("{n} unexpected ({what})", "{n} unexpected ({what})", len(others))
        parts.append(text.format(n=len(others), what=_sums(others)))
    return f"{requests.format(n=len(losses))}: {', '.join(parts)}."


def _decided(losses: Sequence[Loss], saved: Money) -> str:
    if saved.usd is None and not saved.known_usd:
        text = ngettext("{n} rewrite on purpose ({what})", "{n} rewrites on purpose ({what})", len(losses))
    else:
        text = ngettext(
            "{n} rewrite on purpose ({what}), which has saved {saved} since",
            "{n} rewrites on purpose ({what}), which have saved {saved} since",
            len(losses),
        )
    return text.format(n=len(losses), what=_sums(losses), saved=marked_money(saved))


def _loss(loss: Loss, columns: int, look: Look) -> list[str]:
    miss = loss.miss
    rewritten, otherwise = MARKS
    mark = rewritten if loss.is_decided else otherwise
    when = _("turn {n}").format(n=loss.turn)
    if loss.purpose != "answer":
        when += f" ({purpose_name(loss.purpose)})"
    head = fill(f"{when} · {_expectation(loss)}", columns - 2)
    cause = fill(one_line(cause_text(miss, loss.message)), columns - 2)
    if loss.money.usd is None:
        paid = _("{tokens:,} tokens sent again; what that cost is unknown")
    else:
        paid = _("{tokens:,} tokens sent again, {usd} more than reading them")
    told = filled(paid, tokens=miss.lost_tokens, usd=marked_money(loss.money))
    rows = behind(f"{mark} ", [*head, *cause, *fill(told, columns - 2)])
    return [look.paint(rows[0], "dim" if loss.is_decided else "warn"), *rows[1:]]


def _expectation(loss: Loss) -> str:
    if loss.is_decided:
        return _("decided: it pays for itself") if reason_of(loss.miss) == "rent" else _("decided")
    return _("expected") if loss.miss.expected else _("not expected")


def _sums(losses: Sequence[Loss]) -> str:
    tokens = sum(loss.miss.lost_tokens for loss in losses)
    money = sum((loss.money for loss in losses), Money())
    return _("{tokens} tokens, {usd}").format(tokens=short_count(tokens), usd=marked_money(money))
