"""/cost --json: one object whose every field is in the guide."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from chatcli.terminal.cost.as_json import cost_json
from tests.terminal.cost.costs import EVIL, report

GUIDES = Path(__file__).parents[3] / "docs" / "guide"


def fields(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
        for inner in value.values():
            yield from fields(inner)
    if isinstance(value, list):
        for inner in value:
            yield from fields(inner)


def test_every_field_is_in_the_guide() -> None:
    guide = (GUIDES / "cost.md").read_text(encoding="utf-8")
    found = set(fields(json.loads(cost_json(report(12, unknown=True)))))
    assert len(found) > 40
    assert {name for name in found if f"`{name}`" not in guide and f"`{name}[]`" not in guide} == set()


def test_the_parts_add_up_to_the_total() -> None:
    found = json.loads(cost_json(report(30)))
    total = found["total"]
    for name in ("input", "cache_read", "cache_write_5m", "output"):
        assert sum(turn["usage"][name] for turn in found["turns"]) == total["usage"][name]
    for parts in (found["turns"], found["by_model"], found["by_purpose"], found["by_content"]):
        assert sum(part["cost"]["usd"] for part in parts) == pytest.approx(total["cost"]["usd"], abs=1e-7)
    by_class = sum(money["usd"] for money in total["cost_by_class"].values())
    assert by_class == pytest.approx(total["cost"]["usd"], abs=1e-7)


def test_foreign_names_do_not_move_the_cursor() -> None:
    text = cost_json(report(12, evil=True))
    assert "\x1b" not in text
    assert json.loads(text)["by_model"][0]["model"] == EVIL
