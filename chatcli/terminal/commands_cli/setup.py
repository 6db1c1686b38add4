"""`chatcli setup`: pick a provider, paste a key, one live check, done."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from getpass import getpass

from chatcli.errors import AuthError, NetworkError, ProviderError, UsageError
from chatcli.events import Reply
from chatcli.i18n import _
from chatcli.messages import Text, UserMessage
from chatcli.providers import table
from chatcli.providers.base import Request
from chatcli.providers.credentials import CREDENTIALS_FILE, Credential, KeyringUnavailable, store_key
from chatcli.settings import Settings
from chatcli.terminal.commands_cli.config import set_value
from chatcli.terminal.commands_cli.place import Place

_YES = frozenset({"y", "yes", "s", "sim"})
_CHECK_SECONDS = 60
_CHECK_MAX_OUTPUT_TOKENS = 64


def run_setup(place: Place, *, provider: str = "", model: str = "", allow_file: bool = False) -> int:
    """Connect a provider. The key is typed without echo, or is the first line of a pipe.

    A key that the service refuses is not stored. When the check fails for another reason (no
    network, no credit) the key is stored, and the exit code tells of the failure.
    """
    person = sys.stdin.isatty()
    if not provider and not person:
        raise UsageError(
            _("Without a terminal, setup needs --provider."),
            hint="chatcli setup --provider CLAUDEAI < key.txt",
        )
    spec = table.find_spec(provider) if provider else _pick(place, table.SPECS)
    key = _ask_key(place, spec, person) if spec.needs_key else ""
    failure = _check(place, spec, key, model)
    if isinstance(failure, AuthError):
        raise failure
    if key and not _keep(place, spec, key, person=person, allow_file=allow_file):
        return 1
    set_value(place, "provider", spec.name)
    if model:
        set_value(place, "model", model)
    if failure:
        raise failure
    place.out.line(_("Done. Start with: chatcli"), "good")
    return 0


def _pick(place: Place, specs: Sequence[table.ProviderSpec]) -> table.ProviderSpec:
    """The row that the person chooses, by number or name."""
    for number, spec in enumerate(specs, 1):
        place.out.line(f"{number:3}  {spec.name:<12} {_remark(spec)}".rstrip())
    while True:
        answer = _answer(_("Provider (number or name): "))
        if answer.isdecimal() and 1 <= int(answer) <= len(specs):
            return specs[int(answer) - 1]
        try:
            return table.find_spec(answer)
        except UsageError as error:
            place.out.line(error.message)


def _remark(spec: table.ProviderSpec) -> str:
    if spec.wire == "offline":
        return _("no model: rules and scripts")
    if not spec.needs_key:
        return _("models on your own machine, no key")
    return spec.key_variables[0]


def _ask_key(place: Place, spec: table.ProviderSpec, person: bool) -> str:
    for variable in spec.key_variables:
        if place.environment.get(variable):
            place.out.line(
                _("Note: {variable} is set in the environment and wins over a stored key.").format(
                    variable=variable
                ),
                "warn",
            )
    if person:
        key = _answer(_("Key for {provider} (not shown): ").format(provider=spec.name), getpass)
    else:
        key = sys.stdin.readline().strip()
    if not key:
        raise UsageError(_("No key was given."), hint=_("Nothing was changed."))
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise UsageError(_("That cannot be a key: it holds spaces or special characters."))
    return key


def _check(place: Place, spec: table.ProviderSpec, key: str, model: str) -> ProviderError | None:
    """Why one tiny request failed, or None."""
    place.out.line(_("Checking {provider} ...").format(provider=spec.name), "dim")
    try:
        answered_by = asyncio.run(_ask(place, spec, key, model))
    except TimeoutError:
        return NetworkError(_("{provider} did not answer in time.").format(provider=spec.name))
    except ProviderError as error:
        return error
    place.out.line(_("{provider} answers ({model}).").format(provider=spec.name, model=answered_by))
    return None


async def _ask(place: Place, spec: table.ProviderSpec, key: str, model: str) -> str:
    """The name of the model that answered."""
    given = Credential(key, "environment", spec.key_variables[0]) if key else None
    provider = table.create(spec, model, Settings(), place.environment, lambda _names: given)
    request = Request(
        model=provider.model,
        system=(),
        tools=(),
        messages=(UserMessage(seq=1, parts=(Text("Answer with the word OK."),)),),
        max_output_tokens=_CHECK_MAX_OUTPUT_TOKENS,
    )
    try:
        async with asyncio.timeout(_CHECK_SECONDS):
            async for event in provider.stream(request):
                if isinstance(event, Reply):
                    return event.model
    finally:
        await provider.aclose()
    return provider.model


def _keep(place: Place, spec: table.ProviderSpec, key: str, *, person: bool, allow_file: bool) -> bool:
    """Store the key; False when it may not be stored. The file is used only after a yes."""
    name = spec.key_variables[0]
    try:
        store_key(name, key, place.home, allow_file=allow_file)
    except KeyringUnavailable as error:
        if not person:
            raise UsageError(
                _("The key was not stored: {why}").format(why=error.message),
                hint=_("--allow-file keeps it in a file that only you can read."),
            ) from None
        place.out.line(error.message)
        file = place.short(place.home / CREDENTIALS_FILE)
        question = _("Keep it in {file}, readable only by you? [y/N] ").format(file=file)
        if _answer(question).lower() not in _YES:
            place.out.line(_("Not stored. Set {variable} in the environment instead.").format(variable=name))
            return False
        store_key(name, key, place.home, allow_file=True)
    place.out.line(_("The key is stored."))
    return True


def _answer(question: str, ask: Callable[[str], str] = input) -> str:
    try:
        return ask(question).strip()
    except EOFError:
        raise UsageError(_("Nothing was entered."), hint=_("Nothing was changed.")) from None
