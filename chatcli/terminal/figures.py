"""Figures as people read them: 2.1K, 0.1 s, $0.0123, 2026-11-30 09:12."""

from __future__ import annotations

from datetime import datetime

from chatcli.agent.cost.money import Money
from chatcli.i18n import _, figure
from chatcli.providers.prices import PriceSource

_SHOWN_USD = 0.00005
"""Less is no figure: `<$0.0001`."""


def number(count: float, decimals: int = 0) -> str:
    """`2,019`, or `2.019` where that is how numbers are written."""
    return figure(f"{count:,.{decimals}f}")


def short_count(count: int) -> str:
    """`999`, `2.1K`, `48K`, `1.2M`."""
    for limit, divisor, unit in ((1_000, 1, ""), (1_000_000, 1_000, "K"), (10**12, 1_000_000, "M")):
        if count < limit:
            scaled = count / divisor
            return figure(f"{scaled:.1f}") + unit if unit and scaled < 9.95 else f"{scaled:.0f}{unit}"
    return f"{count / 10**9:.0f}G"


def short_seconds(seconds: float) -> str:
    """`0.1 s`, `12 s`, `3 min 05 s`."""
    if seconds < 9.95:
        return figure(f"{seconds:.1f} s")
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min"


def money(usd: float | None) -> str:
    """Dollars; below ten cents with four decimals. An unknown price is never shown as 0."""
    if usd is None:
        return _("unknown")
    if 0 < usd < _SHOWN_USD:
        return "<$" + figure("0.0001")
    return "$" + figure(f"{usd:,.4f}" if 0 < usd < 0.1 else f"{usd:,.2f}")


def marked_money(amount: Money) -> str:
    """Dollars with what is known of them: `~` estimated from a list, `≥` a part of it is unknown.

    Without a mark it is what the service reported, or nothing at all.
    """
    if amount.usd is None:
        return f"≥{money(amount.known_usd)}" if amount.known_usd else money(None)
    told = money(amount.usd)
    return f"~{told}" if "estimated" in amount.sources and amount.usd >= _SHOWN_USD else told


def source_words(amount: Money) -> str:
    """Where a sum of money came from; empty for a sum of nothing."""
    words: dict[PriceSource, str] = {
        "reported": _("reported by the service"),
        "estimated": _("estimated from the price list"),
        "free": _("runs here, free"),
        "unknown": _("price unknown"),
    }
    return " + ".join(words[source] for source in amount.sources)


def percent(part: int, whole: int) -> int:
    """Between 0 and 100."""
    return min(100, max(0, round(100 * part / whole))) if whole > 0 else 0


def local_minute(iso: str) -> str:
    """A time in UTC as the wall clock here shows it, to the minute; empty for none."""
    return f"{datetime.fromisoformat(iso).astimezone():%Y-%m-%d %H:%M}" if iso else ""
