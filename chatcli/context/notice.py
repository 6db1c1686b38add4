"""What the model is told below the marker of a long result: how to get less, and how to look into it."""

from __future__ import annotations

from collections.abc import Mapping


def offload_notice(tool: str, tools: Mapping[str, str], *, saved: bool) -> str:
    """One line in brackets; empty when there is nothing to say.

    `tools` are those that the session has, each with the parameters that make its answer smaller; no
    other is named. `saved`: the marker names a file.
    """
    ways = ["recall (stat, grep, lines, json)"] if "recall" in tools else []
    if saved and (readers := [name for name in ("search", "read") if name in tools]):
        ways.append(f"{' or '.join(readers)} the file")
    ways += ["code"] if "code" in tools else []
    narrower = tools.get(tool.removeprefix("@"), "")
    advice = [f"For less next time: {narrower}."] if narrower else []
    advice += [f"To look into this one: {', '.join(ways)}."] if ways else []
    return f"[{' '.join(advice)}]" if advice else ""
