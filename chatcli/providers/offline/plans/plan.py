"""What a plan is: a function that takes the next step, computed from what was done so far."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from chatcli.providers.offline.draft import Call
from chatcli.providers.offline.situation import Situation

Slots = Mapping[str, str]
Step = str | list[Call]
"""The final answer, or the calls of one more round."""
Plan = Callable[[Situation, Slots], Step]
