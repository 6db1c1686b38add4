"""`chatcli doctor`: what is installed, what is missing, and how to mend it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from chatcli.terminal.commands_cli import doctor_checks as checks
from chatcli.terminal.commands_cli import doctor_local, doctor_service
from chatcli.terminal.commands_cli.doctor_checks import Finding, Level
from chatcli.terminal.commands_cli.place import Place
from chatcli.terminal.look import Style

_MARKS: dict[Level, tuple[str, Style]] = {
    "good": ("ok", "good"),
    "note": ("--", "warn"),
    "bad": ("!!", "bad"),
}

CHECKS: tuple[Callable[[Place], Iterator[Finding]], ...] = (
    checks.installation,
    checks.home,
    checks.settings,
    doctor_service.provider,
    doctor_local.local,
    checks.programs,
    checks.plugins,
    checks.terminal,
    checks.temporary_files,
    doctor_service.clock,
)


def examine(place: Place, *, output: str = "text", live: bool = False) -> int:
    """Print what was found; 1 when something is broken, else 0. `live`: the provider is asked too."""
    wanted = (*CHECKS, doctor_service.live) if live else CHECKS
    findings = [finding for check in wanted for finding in check(place)]
    if output == "json":
        place.out.json(findings)
    else:
        for finding in findings:
            _tell(place, finding)
    return int(any(finding.level == "bad" for finding in findings))


def _tell(place: Place, finding: Finding) -> None:
    mark, style = _MARKS[finding.level]
    place.out.marked(mark, style, f"{finding.about}: {finding.found}")
    if finding.fix:
        place.out.line(f"    → {finding.fix}")
