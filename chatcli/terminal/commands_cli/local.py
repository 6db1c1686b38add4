"""`chatcli local`: models that run on this machine, and how to get one."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from msgspec import structs

from chatcli.errors import UsageError
from chatcli.gate.screen import one_line
from chatcli.i18n import _
from chatcli.providers.listing import FOLDER
from chatcli.providers.local.models import LocalModel, is_installed, kept_models
from chatcli.terminal.cells import fill
from chatcli.terminal.commands_cli.place import Place
from chatcli.terminal.commands_cli.used import settings_here
from chatcli.terminal.figures import number, short_count

_MB = 1_000_000
_INDENT = "  "


def get_model(place: Place, wanted: str, sha256: str) -> int:
    """Fetch the demonstration model, or a GGUF file by its address and SHA-256."""
    from chatcli.providers.local.download import DEMO, get_demo, get_url

    bundle = settings_here(place).settings.ca_bundle
    progress = _Progress()
    try:
        if "://" in wanted:
            got = get_url(wanted, sha256, place.home, bundle, progress.show)
        elif wanted.lower() in ("", DEMO.name.lower()):
            got = get_demo(place.home, place.environment, bundle, progress.show)
        else:
            raise UsageError(
                _("There is no model named {name!r} to get.").format(name=wanted),
                hint=_("{name}, or the address of a GGUF file with --sha256.").format(name=DEMO.name),
            )
    finally:
        progress.clear()
    model = got.model
    if not got.fetched:
        place.out.line(_("It is here already, with the right SHA-256."))
    place.out.line(f"{model.name}: {model.worth}", "good" if model.usable else "warn")
    place.out.line(place.short(model.path))
    place.out.line(f"chatcli --provider LOCAL --model {model.name}")
    if not is_installed():
        place.out.line("pip install 'chatcli[local]'", "warn")
    return 0


def list_kept(place: Place, *, output: str = "text") -> int:
    """The models in the home of chatcli."""
    models = kept_models(place.home)
    if output == "json":
        place.out.json([{**structs.asdict(model), "path": str(model.path)} for model in models])
        return 0
    place.out.line(place.short(place.home / FOLDER), "dim")
    for model in models:
        place.out.drawn(_described(model, place.out.columns))
    if not models:
        place.out.line(_("No model yet. `chatcli local get` fetches a small one."))
    if not is_installed():
        place.out.line("pip install 'chatcli[local]'", "warn")
    return 0


def _described(model: LocalModel, columns: int) -> Iterator[str]:
    size, window = number(model.size_bytes / _MB), short_count(model.window_tokens)
    yield from fill(one_line(model.name), columns)
    for text in (f"{size} MB, " + _("window {window}").format(window=window), model.worth):
        yield from (_INDENT + row for row in fill(text, columns - len(_INDENT)))


class _Progress:
    """One line of a terminal that is written over; nothing where nobody looks."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._shown_percent = -1

    def show(self, received_bytes: int, expected_bytes: int) -> None:
        percent = 100 * received_bytes // expected_bytes if expected_bytes else received_bytes // _MB
        if not self._live or percent == self._shown_percent:
            return
        self._shown_percent = percent
        total = f"/{expected_bytes / _MB:.0f} MB  {percent}%" if expected_bytes else " MB"
        sys.stderr.write(f"\r\x1b[K{received_bytes / _MB:.0f}{total}")
        sys.stderr.flush()

    def clear(self) -> None:
        if self._shown_percent >= 0:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
