"""How a strict service says no."""

from __future__ import annotations

import re
from typing import Any

from msgspec import Struct

TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


class Violation(Struct, frozen=True, kw_only=True):
    """Something a client must never send. `request` counts from 0, as in `server.exchanges`."""

    rule: str
    detail: str
    wire: str
    request: int


class Rejected(Exception):
    """The service refuses the request. Without a `rule` it is the user's mistake (key, model), not ours."""

    def __init__(self, rule: str, message: str, *, status: int = 400, kind: str = "", code: str = "") -> None:
        super().__init__(message)
        self.rule = rule
        self.message = message
        self.status = status
        self.kind = kind
        self.code = code


def require(condition: object, rule: str, message: str, *, status: int = 400) -> None:
    if not condition:
        raise Rejected(rule, message, status=status)


def require_fields(
    value: Any, where: str, known: frozenset[str], required: frozenset[str] = frozenset()
) -> Any:
    """`value` as an object that has all required and no unknown fields."""
    require(isinstance(value, dict), "type", f"{where}: Input should be an object")
    for name in sorted(required - value.keys()):
        raise Rejected("missing_field", f"{where}.{name}: Field required".lstrip("."))
    for name in value.keys() - known:
        raise Rejected("extraneous", f"{where}.{name}: Extra inputs are not permitted".lstrip("."))
    return value


def fields(names: str) -> frozenset[str]:
    return frozenset(names.split())
