"""A cost report as one HTML page: nothing is loaded from elsewhere, nothing runs, light and dark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files

from chatcli.agent.cost.misses import cause_text
from chatcli.agent.cost.money import ClassMoney, Money, Spent
from chatcli.agent.cost.report import CostReport, TurnCost
from chatcli.gate.screen import one_line
from chatcli.i18n import _, filled, language, ngettext
from chatcli.terminal.cost.names import purpose_name, share_name
from chatcli.terminal.cost.svgchart import Column, bar_chart
from chatcli.terminal.cost.whylines import loss_summary
from chatcli.terminal.figures import marked_money, money, number, short_count, short_seconds, source_words

_CLASSES = ("read", "written", "plain", "output")


def cost_page(report: CostReport) -> str:
    """The whole page. All foreign text in it is escaped."""
    title = _("Cost of session {id}").format(id=report.session_id)
    style = files("chatcli.terminal.cost").joinpath("page.css").read_text(encoding="utf-8")
    body = [
        f"<h1>{_text(title)}</h1>",
        f'<p class="soft">{_text(_subtitle(report))}</p>',
        _cards(report),
        _section(_("Tokens of each turn"), _token_chart(report.turns), _key(report, {})),
        *_money(report),
        _section(_("By model"), _models(report)),
        _section(_("What it went to"), _contents(report), _small(_about_contents())),
        _section(_("What the requests were for"), _purposes(report)),
        _section(_("Where the cache was lost"), *_losses(report)),
    ]
    body.append(_small(_about_money("".join(body))))
    return "\n".join(
        [
            "<!doctype html>",
            f'<html lang="{escape(language())}"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{_text(title)}</title>",
            f"<style>{style}</style></head>",
            "<body><main>",
            *body,
            "</main></body></html>",
            "",
        ]
    )


def _subtitle(report: CostReport) -> str:
    turns = ngettext("{n} turn", "{n} turns", len(report.turns)).format(n=len(report.turns))
    requests = ngettext("{n} request", "{n} requests", report.total.requests).format(n=report.total.requests)
    models = [one_line(f"{one.provider}/{one.model}") for one in report.by_model]
    return " · ".join([*models, turns, requests, short_seconds(report.total.seconds)])


def _cards(report: CostReport) -> str:
    usage, short = report.total.usage, report.shortening
    reasoning = short_count(usage.reasoning)
    cards = [
        (marked_money(report.total.money), source_words(report.total.money)),
        (short_count(usage.context), _("prompt tokens")),
        (short_count(usage.output), _("output tokens, {n} of it reasoning").format(n=reasoning)),
        (f"{100 * report.cache.hit_ratio:.0f} %", _("of the prompts read from the cache")),
        (f"{number(report.cache.write_factor, 2)} ×", _("the largest prompt was sent anew")),
    ]
    if short.times:
        paid = _("saved by shortening; {usd} paid for it").format(usd=marked_money(short.paid))
        cards.append((marked_money(short.saved), paid))
    told = [
        f'<div class="card"><b>{_text(b)}</b><span class="soft">{_text(t)}</span></div>' for b, t in cards
    ]
    return f'<div class="cards">{"".join(told)}</div>'


def _token_chart(turns: Sequence[TurnCost]) -> str:
    columns = [
        Column(
            parts=(turn.spent.usage.cache_read, turn.spent.usage.cache_write, turn.spent.usage.input),
            label=str(turn.number),
            told=_told(turn),
            mark=_mark(turn),
        )
        for turn in turns
    ]
    return bar_chart(columns, _CLASSES[:3], _("Tokens of each turn"), lambda n: short_count(round(n)))


def _money(report: CostReport) -> Iterable[str]:
    """Nothing where nothing has a price."""
    if report.total.money.known_usd:
        key = _key(report, {"output": _("output")})
        yield _section(_("Money of each turn"), _money_chart(report.turns), key)


def _money_chart(turns: Sequence[TurnCost]) -> str:
    columns = [
        Column(
            parts=tuple(part.known_usd for part in _in_order(turn.by_class)),
            label=str(turn.number),
            told=_told(turn),
            mark=_mark(turn),
        )
        for turn in turns
    ]
    return bar_chart(columns, _CLASSES, _("Money of each turn"), money)


def _in_order(classes: ClassMoney) -> tuple[Money, ...]:
    return classes.cache_read, classes.cache_write, classes.input, classes.output


def _told(turn: TurnCost) -> str:
    usage = turn.spent.usage
    rows = [
        _("turn {n}").format(n=turn.number),
        filled(_("read {n:,}"), n=usage.cache_read),
        filled(_("written {n:,}"), n=usage.cache_write),
        filled(_("plain {n:,}"), n=usage.input),
        filled(_("output {n:,}"), n=usage.output),
        marked_money(turn.spent.money),
        *(one_line(cause_text(loss.miss, loss.message)) for loss in turn.losses),
    ]
    return "\n".join(rows)


def _mark(turn: TurnCost) -> str:
    if not turn.losses:
        return ""
    return "rewritten" if turn.lost_on_purpose else "lost"


def _key(report: CostReport, more: Mapping[str, str]) -> str:
    """What the colours mean: those of the tokens, `more` of them, and the marks that occur."""
    names = {"read": _("read from the cache"), "written": _("written to it"), "plain": _("plain input")}
    names |= more
    marks = {_mark(turn) for turn in report.turns}
    names |= {"rewritten": _("rewritten on purpose")} if "rewritten" in marks else {}
    names |= {"lost": _("cache lost otherwise")} if "lost" in marks else {}
    items = [f'<li><i class="{style}"></i>{_text(name)}</li>' for style, name in names.items()]
    return f'<ul class="key">{"".join(items)}</ul>'


def _models(report: CostReport) -> str:
    classes = (_("input"), _("cache read"), _("cache write"), _("output"), _("of it reasoning"))
    rows = [_model_row(f"{m.provider}/{m.model}", m.spent, m.by_class) for m in report.by_model]
    if len(report.by_model) > 1:
        rows.append(_model_row(_("Total"), report.total, report.by_class))
    return _table(("", _("requests"), *classes, _("cost")), rows)


def _model_row(name: str, spent: Spent, classes: ClassMoney) -> list[str]:
    usage = spent.usage
    counted = (
        (usage.input, classes.input),
        (usage.cache_read, classes.cache_read),
        (usage.cache_write, classes.cache_write),
        (usage.output, classes.output),
    )
    cells = [
        f'{number(tokens)}<br><span class="soft">{_text(marked_money(usd))}</span>' for tokens, usd in counted
    ]
    return [
        _text(name),
        str(spent.requests),
        *cells,
        number(usage.reasoning),
        _text(marked_money(spent.money)),
    ]


def _contents(report: CostReport) -> str:
    largest = max((share.money.known_usd for share in report.by_content), default=0.0)
    carried = max((share.carried_tokens for share in report.by_content), default=0)
    rows = []
    for share in report.by_content:
        part = share.money.known_usd / largest if largest else share.carried_tokens / max(1, carried)
        rows.append(
            [
                _text(share_name(share)),
                short_count(share.tokens),
                short_count(share.carried_tokens),
                _text(marked_money(share.money)),
                f'<span class="bar" style="width:{100 * part:.1f}%"></span>',
            ]
        )
    return _table(
        ("", _("tokens once"), _("carried in all requests"), _("cost"), ""), rows, styles={4: "room"}
    )


def _purposes(report: CostReport) -> str:
    rows = [
        [_text(purpose_name(one.purpose)), str(one.spent.requests), _text(marked_money(one.spent.money))]
        for one in report.by_purpose
    ]
    return _table(("", _("requests"), _("cost")), rows)


def _losses(report: CostReport) -> Iterable[str]:
    if not report.losses:
        yield f"<p>{_text(_('No request lost anything that the cache had.'))}</p>"
        return
    yield f"<p>{_text(loss_summary(report))}</p>"
    rows = [
        [
            str(loss.turn),
            _text(cause_text(loss.miss, loss.message)),
            number(loss.miss.lost_tokens),
            _text(marked_money(loss.money)),
        ]
        for loss in report.losses
    ]
    yield _table((_("turn"), _("cause"), _("tokens sent again"), _("cost")), rows, styles={1: "words"})


def _section(title: str, *parts: str) -> str:
    return f"<section><h2>{_text(title)}</h2>{''.join(parts)}</section>"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], styles: dict[int, str] | None = None) -> str:
    """The cells of `rows` are HTML already."""
    styles = styles or {}

    def cells(tag: str, row: Sequence[str]) -> str:
        named = [f'<{tag} class="{styles[n]}">' if n in styles else f"<{tag}>" for n in range(len(row))]
        return "".join(f"{begin}{cell}</{tag}>" for begin, cell in zip(named, row, strict=True))

    lines = [f"<tr>{cells('td', row)}</tr>" for row in rows]
    return f"<table><tr>{cells('th', [_text(name) for name in head])}</tr>{''.join(lines)}</table>"


def _small(text: str) -> str:
    return f'<p class="soft">{_text(text)}</p>'


def _about_contents() -> str:
    return _(
        "Estimated: each part of a request is paid for by where it stands in it, read, written or plain. "
        "A result costs once when it comes, and a little in every request that carries it."
    )


def _about_money(shown: str) -> str:
    """What the marks of the money mean."""
    notes = [_("~ estimated from price lists.")]
    if "≥" in shown:
        notes.append(_("≥ at least: of some requests the price is unknown."))
    return " ".join([*notes, _("Without a mark: as the service reported it.")])


def _text(text: str) -> str:
    return escape(one_line(text))
