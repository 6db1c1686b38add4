"""What a session has cost, as lines for the terminal: right from 40 columns on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from chatcli.agent.cost.money import ClassMoney, Money, Spent
from chatcli.agent.cost.report import CostReport, TurnCost
from chatcli.gate.screen import one_line
from chatcli.i18n import _, filled, ngettext
from chatcli.terminal.cells import clip, fill, width_cells
from chatcli.terminal.cost.names import purpose_name, share_name
from chatcli.terminal.cost.turnchart import MARKS, Bar, chart_legend, turn_chart
from chatcli.terminal.cost.whylines import loss_summary
from chatcli.terminal.figures import marked_money, number, percent, short_count, short_seconds, source_words
from chatcli.terminal.look import Look

_SHARES = 10
"""Groups that are shown by themselves; the rest of them in one line."""
_GAP = "  "


def cost_lines(report: CostReport, columns: int, look: Look, *facts: str) -> list[str]:
    """Everything at a glance. `facts` are told with those about the cache."""
    lines = [""]
    for model in report.by_model:
        lines.append(look.paint(clip(one_line(f"{model.provider}/{model.model}"), columns), "bold"))
        lines += class_lines(model.spent, model.by_class, columns)
    if len(report.by_model) > 1:
        lines.append(look.paint(_("Total"), "bold"))
        lines += class_lines(report.total, report.by_class, columns)
    lines += _purposes(report, columns, look)
    lines += _contents(report, columns, look)
    lines += ["", *(row for fact in (*_facts(report), *facts) for row in fill(fact, columns))]
    lines += ["", look.paint(clip(_("Tokens of each turn"), columns), "dim")]
    lines += [*turn_chart(_bars(report), columns, look), *chart_legend(_bars(report), columns, look)]
    return [*lines, "", *_notes(report, columns, look)]


def class_lines(spent: Spent, by_class: ClassMoney, columns: int) -> list[str]:
    """One line a class of tokens, with what it cost; classes do not overlap, so they add up."""
    usage = spent.usage
    rows = [
        (_("input"), number(usage.input), marked_money(by_class.input)),
        (_("cache read"), number(usage.cache_read), marked_money(by_class.cache_read)),
        (_("cache write"), number(usage.cache_write), marked_money(by_class.cache_write)),
        (_("output"), number(usage.output), marked_money(by_class.output)),
        (_("of it reasoning"), number(usage.reasoning), ""),
        (_("total"), number(usage.context + usage.output), marked_money(spent.money)),
    ]
    requests = ngettext("{n} request", "{n} requests", spent.requests).format(n=spent.requests)
    facts = [requests, short_seconds(spent.seconds), source_words(spent.money)]
    if usage.estimated:
        facts.append(_("tokens partly estimated"))
    told = fill(" · ".join(fact for fact in facts if fact), columns - len(_GAP))
    return [_GAP + line for line in (*_aligned(rows, columns - len(_GAP)), *told)]


def turn_lines(report: CostReport, columns: int, look: Look) -> list[str]:
    """A row for each turn."""
    header = ["", _("prompt"), _("cached"), _("output"), _("cost")]
    return ["", *_table(header, [_turn_row(turn) for turn in report.turns], columns, look)]


def _turn_row(turn: TurnCost) -> list[str]:
    usage, mark = turn.spent.usage, _mark_of(turn)
    return [
        f"{turn.number} {mark}".rstrip(),
        short_count(usage.context),
        f"{percent(usage.cache_read, usage.context)} %",
        short_count(usage.output),
        marked_money(turn.spent.money),
    ]


def _mark_of(turn: TurnCost) -> str:
    """What of the cache was lost in a turn, as the chart marks it."""
    rewritten, otherwise = MARKS
    if not turn.losses:
        return ""
    return rewritten if turn.lost_on_purpose else otherwise


def _bars(report: CostReport) -> list[Bar]:
    return [
        Bar(
            read=turn.spent.usage.cache_read,
            written=turn.spent.usage.cache_write,
            plain=turn.spent.usage.input,
            output=turn.spent.usage.output,
            usd=turn.spent.usd,
            mark=_mark_of(turn),
        )
        for turn in report.turns
    ]


def _purposes(report: CostReport, columns: int, look: Look) -> list[str]:
    """What side calls cost, where there were any."""
    if len(report.by_purpose) < 2:
        return []
    rows = [
        (purpose_name(one.purpose), str(one.spent.requests), marked_money(one.spent.money))
        for one in report.by_purpose
    ]
    header = (_("What for"), _("requests"), _("cost"))
    return ["", *_table(header, rows, columns, look)]


def _contents(report: CostReport, columns: int, look: Look) -> list[str]:
    """What the tokens were: each group with its size, what it was in all requests together, and its money."""
    shares = report.by_content
    rows = [
        (share_name(s), short_count(s.tokens), short_count(s.carried_tokens), marked_money(s.money))
        for s in shares[:_SHARES]
    ]
    if rest := shares[_SHARES:]:
        money = sum((share.money for share in rest), Money())
        carried = sum(share.carried_tokens for share in rest)
        tokens = sum(share.tokens for share in rest)
        others = ngettext("{n} other", "{n} others", len(rest)).format(n=len(rest))
        rows.append((others, short_count(tokens), short_count(carried), marked_money(money)))
    header = (_("Of what"), _("once"), _("carried"), _("cost"))
    return ["", *_table(header, rows, columns, look)]


def _facts(report: CostReport) -> Iterable[str]:
    """How well the cache works, and what shortening came to."""
    cache, short = report.cache, report.shortening
    if report.total.usage.cache_read or report.total.usage.cache_write:
        text = _(
            "Cache: {share:.0f} % of all prompts was read from it; sent anew: {factor:.2f} × the largest."
        )
        yield filled(text, share=100 * cache.hit_ratio, factor=cache.write_factor)
    else:
        yield _("Cache: the service says nothing of one.")
    if report.losses:
        yield loss_summary(report)
    if short.times:
        text = ngettext(
            "Shortened {n} time: {tokens} tokens not sent since, {saved} saved, {paid} paid for it.",
            "Shortened {n} times: {tokens} tokens not sent since, {saved} saved, {paid} paid for it.",
            short.times,
        )
        yield text.format(
            n=short.times,
            tokens=short_count(short.saved_tokens),
            saved=marked_money(short.saved),
            paid=marked_money(short.paid),
        )


def _notes(report: CostReport, columns: int, look: Look) -> list[str]:
    """What the marks of the money mean, and where there is more."""
    amounts = [report.total.money, *(share.money for share in report.by_content)]
    sources = {source for amount in amounts for source in amount.sources}
    notes = []
    if "estimated" in sources:
        notes.append(_("~ estimated from price lists."))
    if any(amount.usd is None and amount.known_usd for amount in amounts):
        notes.append(_("≥ at least: of some requests the price is unknown."))
    if "reported" in sources:
        notes.append(_("Without a mark: as the service reported it."))
    notes += [_("By content: estimated."), _("More: /cost turns, /cost why, /cost --html, /cost --json")]
    return [look.paint(row, "dim") for row in fill(" ".join(notes), columns)]


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], columns: int, look: Look) -> list[str]:
    first, *others = _aligned([header, *rows], columns)
    return [look.paint(first, "dim"), *others]


def _aligned(rows: Sequence[Sequence[str]], columns: int) -> list[str]:
    """A table: the first column on the left, cut where there is no room, the others on the right."""
    widths = [max(map(width_cells, column)) for column in zip(*rows, strict=True)]
    room = columns - sum(widths[1:]) - len(_GAP) * (len(widths) - 1)
    widths[0] = max(1, min(widths[0], room))
    lines = []
    for first, *others in rows:
        head = clip(first, widths[0])
        cells = [head + " " * (widths[0] - width_cells(head))]
        cells += [" " * (w - width_cells(cell)) + cell for w, cell in zip(widths[1:], others, strict=True)]
        lines.append(_GAP.join(cells).rstrip())
    return lines
