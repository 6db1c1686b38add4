"""`chatcli replay`: what a recorded session would have cost with other settings, without a provider."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

from chatcli.agent.foreign_recording import read_foreign
from chatcli.agent.recording import Recording, read_recording
from chatcli.agent.rehearsal import Service, Variant
from chatcli.agent.replay import Replayed, bills_of, replay
from chatcli.context.limits import Ageing, Limits
from chatcli.errors import UsageError
from chatcli.i18n import _, ngettext
from chatcli.messages import ToolResult, Usage
from chatcli.providers.specs import find_spec
from chatcli.settings import Schedule
from chatcli.terminal.chart import chart_row
from chatcli.terminal.commands_cli.place import Place
from chatcli.terminal.commands_cli.tools import PLUGIN_FOLDER
from chatcli.terminal.commands_cli.used import settings_here
from chatcli.terminal.figures import money, short_count
from chatcli.tools.registry import Registry

SCHEDULES: tuple[Schedule, ...] = get_args(Schedule)
_ASSUMED_PROVIDER = "CLAUDEAI"
"""For transcripts that do not say who answered, and for those without a model."""
_CHART_COLUMNS = 100


def show_replay(
    place: Place,
    wanted: str,
    *,
    compare: str = "",
    assignments: Sequence[str] = (),
    provider: str = "",
    model: str = "",
    output: str = "text",
) -> int:
    """Replay `wanted`, a session or a file, with each schedule of `compare`. Raises `UserFacingError`."""
    recording = read_foreign(Path(wanted)) if Path(wanted).is_file() else read_recording(place.home, wanted)
    service = _service(recording, provider, model)
    settings = settings_here(place, assignments).settings
    registry = Registry.load(place.home / PLUGIN_FOLDER)
    limits = Limits.from_settings(settings, registry.narrower())
    ageing = Ageing.from_settings(settings)
    replayed = [
        replay(
            recording,
            Variant(schedule=schedule, limits=limits, ageing=ageing),
            service,
            registry.schemas(),
        )
        for schedule in _schedules(compare)
    ]
    if output == "json":
        place.out.json([_as_json(recording, service, one) for one in replayed])
    else:
        _print(place, recording, service, replayed)
    return 0


def _schedules(compare: str) -> list[Schedule]:
    names = [name.strip() for name in (compare or ",".join(SCHEDULES)).split(",")]
    if unknown := [name for name in names if name not in SCHEDULES]:
        raise UsageError(
            _("{name!r} cannot be compared.").format(name=unknown[0]),
            hint=_("Schedules: {names}").format(names=", ".join(SCHEDULES)),
        )
    return [schedule for name in names for schedule in SCHEDULES if schedule == name]


def _service(recording: Recording, provider: str, model: str) -> Service:
    """Whose prices count: as asked for, else who answered."""
    answered_by, answered_model = recording.answered_by
    if provider or answered_by in ("", "OFFLINE"):
        spec, answered_model = find_spec(provider or _ASSUMED_PROVIDER), ""
    else:
        spec = find_spec(answered_by)
    return Service.of(spec.name, model or answered_model or spec.default_model)


def _print(place: Place, recording: Recording, service: Service, replayed: Sequence[Replayed]) -> None:
    results = sum(isinstance(message, ToolResult) for message in recording.messages)
    requests = len(replayed[0].steps)
    facts = [
        recording.name,
        ngettext("{n} request", "{n} requests", requests).format(n=requests),
        ngettext("{n} result", "{n} results", results).format(n=results),
        f"{service.name}/{service.model}",
    ]
    out = place.out
    out.line(" · ".join(facts))
    out.line()
    headers = ["", _("per request"), _("peak"), _("uncached"), _("cache read"), _("cache write")]
    out.table([*headers, _("output"), _("rewrites"), _("cost")], [_row(one) for one in replayed])
    largest = max(one.peak_tokens for one in replayed)
    width = max(len(one.schedule) for one in replayed)
    room = min(shutil.get_terminal_size((_CHART_COLUMNS, 24)).columns, _CHART_COLUMNS) - width - 2
    out.line()
    out.line(_("tokens in the window, request by request; full height: {n}").format(n=short_count(largest)))
    for one in replayed:
        sizes = [step.usage.context for step in one.steps]
        out.line(f"{one.schedule:<{width}}  {chart_row(sizes, largest, room)}")
    out.line()
    if bills_of(recording, service):
        told = _("Tokens are estimated, scaled by what this session was billed for; no provider was asked.")
    else:
        told = _("Tokens are estimated and no provider was asked: compare, do not add up.")
    out.line(told, "dim")


def _row(one: Replayed) -> list[str]:
    usage, requests = one.usage, max(1, len(one.steps))
    counts = (
        usage.context // requests,
        one.peak_tokens,
        usage.input,
        usage.cache_read,
        usage.cache_write,
        usage.output,
    )
    return [one.schedule, *map(short_count, counts), str(one.rewrites), money(one.cost_usd)]


def _as_json(recording: Recording, service: Service, one: Replayed) -> dict[str, Any]:
    return {
        "session": recording.name,
        "provider": service.name,
        "model": service.model,
        "schedule": one.schedule,
        "usage": _counts(one.usage),
        "cost_usd": one.cost_usd,
        "peak_tokens": one.peak_tokens,
        "rewrites": one.rewrites,
        "requests": [
            {**_counts(step.usage), "rewrites": step.rewrites, "cost_usd": step.cost_usd}
            for step in one.steps
        ],
    }


def _counts(usage: Usage) -> dict[str, int]:
    return {
        "input": usage.input,
        "cache_read": usage.cache_read,
        "cache_write": usage.cache_write,
        "output": usage.output,
    }
