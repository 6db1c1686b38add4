"""A cost report for programs. The shape is documented in docs/guide/cost.md; `format` counts its changes."""

from __future__ import annotations

from typing import Any

import msgspec

from chatcli.agent.cost.money import ClassMoney, Money, Spent
from chatcli.agent.cost.report import CostReport, Loss, TurnCost

FORMAT = 1


def cost_json(report: CostReport) -> str:
    """One object, indented."""
    return msgspec.json.format(msgspec.json.encode(cost_object(report)), indent=2).decode()


def cost_object(report: CostReport) -> dict[str, Any]:
    cache, short = report.cache, report.shortening
    return {
        "format": FORMAT,
        "session_id": report.session_id,
        "total": {**_spent(report.total), "cost_by_class": _classes(report.by_class)},
        "by_model": [
            {
                "provider": one.provider,
                "model": one.model,
                **_spent(one.spent),
                "cost_by_class": _classes(one.by_class),
            }
            for one in report.by_model
        ],
        "by_purpose": [{"purpose": one.purpose, **_spent(one.spent)} for one in report.by_purpose],
        "by_content": [
            {
                "kind": share.kind,
                "tool": share.name or None,
                "count": share.count,
                "tokens": share.tokens,
                "carried_tokens": share.carried_tokens,
                "cost": _money(share.money),
            }
            for share in report.by_content
        ],
        "turns": [_turn(turn) for turn in report.turns],
        "cache": {
            "hit_ratio": round(cache.hit_ratio, 4),
            "write_factor": round(cache.write_factor, 4),
            "largest_context_tokens": cache.largest_context_tokens,
        },
        "shortening": {
            "times": short.times,
            "saved_tokens": short.saved_tokens,
            "saved": _money(short.saved),
            "paid": _money(short.paid),
        },
        "losses": [_loss(loss) for loss in report.losses],
    }


def _spent(spent: Spent) -> dict[str, Any]:
    usage = spent.usage
    return {
        "requests": spent.requests,
        "usage": {
            "input": usage.input,
            "cache_read": usage.cache_read,
            "cache_write_5m": usage.cache_write_5m,
            "cache_write_1h": usage.cache_write_1h,
            "output": usage.output,
            "reasoning": usage.reasoning,
            "estimated": usage.estimated,
        },
        "cost": _money(spent.money),
        "seconds": round(spent.seconds, 3),
    }


def _money(money: Money) -> dict[str, Any]:
    """`usd` is null when a part is unknown; `known_usd` is then the rest."""
    usd = money.usd
    return {
        "usd": None if usd is None else round(usd, 9),
        "known_usd": round(money.known_usd, 9),
        "sources": money.sources,
    }


def _classes(money: ClassMoney) -> dict[str, Any]:
    return {
        "input": _money(money.input),
        "cache_read": _money(money.cache_read),
        "cache_write": _money(money.cache_write),
        "output": _money(money.output),
    }


def _turn(turn: TurnCost) -> dict[str, Any]:
    return {
        "turn": turn.number,
        "context_tokens": turn.context_tokens,
        **_spent(turn.spent),
        "cost_by_class": _classes(turn.by_class),
    }


def _loss(loss: Loss) -> dict[str, Any]:
    miss = loss.miss
    return {
        "turn": loss.turn,
        "purpose": loss.purpose,
        "sent_at": loss.sent_at,
        "cause": miss.cause,
        "detail": miss.detail,
        "expected": miss.expected,
        "tokens": miss.lost_tokens,
        "cost": _money(loss.money),
    }
