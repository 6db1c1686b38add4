"""Connecting a provider: which one, its keys, one live check, and where they are kept."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Mapping, Sequence
from getpass import getpass

from chatcli.errors import NetworkError, ProviderError, UsageError
from chatcli.events import Reply
from chatcli.i18n import _
from chatcli.messages import Text, UserMessage
from chatcli.providers import specs, table
from chatcli.providers.base import Request
from chatcli.providers.credentials import (
    CREDENTIALS_FILE,
    Credential,
    KeyringUnavailable,
    find_key,
    store_key,
)
from chatcli.providers.device_login import GITHUB_LOGIN_URL, DeviceCode, log_in
from chatcli.providers.spec import ProviderSpec
from chatcli.terminal.approval import is_yes, yes_or_no
from chatcli.terminal.commands_cli.place import Place
from chatcli.terminal.commands_cli.used import settings_here

_CHECK_SECONDS = 60
_CHECK_MAX_OUTPUT_TOKENS = 64


def pick(place: Place) -> ProviderSpec:
    """The row that the person chooses, by number or name."""
    rows = [spec for spec in specs.all_specs() if not spec.retired]
    for number, spec in enumerate(rows, 1):
        place.out.line(f"{number:3}  {spec.name:<16} {_remark(spec)}".rstrip())
    while True:
        given = answer(_("Provider (number or name): "))
        if given.isdecimal() and 1 <= int(given) <= len(rows):
            return rows[int(given) - 1]
        try:
            return table.find_spec(given)
        except UsageError as error:
            place.out.line(error.message)


def _remark(spec: ProviderSpec) -> str:
    if spec.wire == "offline":
        return _("no model: rules and scripts")
    if spec.auth == "none":
        return _("models on your own machine, no key")
    return ", ".join(key_names(spec))


def key_names(spec: ProviderSpec) -> tuple[str, ...]:
    """Under which names its keys are stored."""
    return () if spec.auth == "none" else (*spec.key_variables[:1], *spec.also_needs)


def ask_keys(place: Place, spec: ProviderSpec, person: bool) -> dict[str, str]:
    """What the provider needs, by name; nothing for one that can do without and was given nothing."""
    keys: dict[str, str] = {}
    for variable in (*spec.key_variables, *spec.also_needs):
        if place.environment.get(variable):
            text = _("Note: {variable} is set in the environment and wins over a stored key.")
            place.out.line(text.format(variable=variable), "warn")
    if person and spec.auth == "exchange":
        client_id = settings_here(place).settings.copilot_client_id
        if client_id:
            return {spec.key_variables[0]: _log_in(place, spec, client_id)}
        place.out.line(
            _("With CHATCLI_COPILOT_CLIENT_ID set, GitHub can be asked in the browser instead."), "dim"
        )
    for name in key_names(spec):
        if person:
            key = answer(_("{variable} (not shown): ").format(variable=name), getpass)
        else:
            key = sys.stdin.readline().strip()
        if not (key.isascii() and key.isprintable()) or " " in key:
            raise UsageError(_("That cannot be a key: it holds spaces or special characters."))
        if key:
            keys[name] = key
        elif spec.needs_key:
            raise UsageError(_("No key was given."), hint=_("Nothing was changed."))
    return keys


def _log_in(place: Place, spec: ProviderSpec, client_id: str) -> str:
    """GitHub's token, for which the person confirms a code in the browser."""

    def show(code: DeviceCode) -> None:
        place.out.line(_("Open {address} and enter the code:").format(address=code.verification_uri))
        place.out.line(f"    {code.user_code}", "bold")
        place.out.line(_("Waiting for GitHub. Ctrl-C gives up."), "dim")

    settings = settings_here(place).settings
    service = table.service_of(spec, "", settings, place.environment, lambda _names: None)
    redirected = specs.is_redirected(spec, place.environment)
    login_url = f"{service.base_url}/login" if redirected else GITHUB_LOGIN_URL
    return asyncio.run(log_in(service, login_url, client_id, show))


def check(place: Place, spec: ProviderSpec, keys: Mapping[str, str], model: str) -> ProviderError | None:
    """Why one tiny request failed, or None."""
    place.out.line(_("Checking {provider} ...").format(provider=spec.name), "dim")
    try:
        answered_by = asyncio.run(ask_once(place, spec, keys, model))
    except TimeoutError:
        return NetworkError(_("{provider} did not answer in time.").format(provider=spec.name))
    except ProviderError as error:
        return error
    place.out.line(_("{provider} answers ({model}).").format(provider=spec.name, model=answered_by))
    return None


async def ask_once(place: Place, spec: ProviderSpec, keys: Mapping[str, str], model: str) -> str:
    """The name of the model that answered. What was just given is used, else what is there already."""

    def look_up(names: Sequence[str]) -> Credential | None:
        given = next((name for name in names if name in keys), None)
        if given:
            return Credential(keys[given], "environment", given)
        return find_key(names, place.environment, place.home)

    settings = settings_here(place).settings
    provider = table.create(spec, model, settings, place.environment, look_up, home=place.home)
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


def keep(place: Place, keys: Mapping[str, str], *, person: bool, allow_file: bool) -> bool:
    """Store the keys; False when they may not be stored. The file is used only after a yes."""
    try:
        _store(place, keys, allow_file=allow_file)
    except KeyringUnavailable as error:
        if not person:
            raise UsageError(
                _("The key was not stored: {why}").format(why=error.message),
                hint=_("--allow-file keeps it in a file that only you can read."),
            ) from None
        place.out.line(error.message)
        file = place.short(place.home / CREDENTIALS_FILE)
        question = _("Keep it in {file}, readable only by you?").format(file=file)
        if not is_yes(answer(f"{yes_or_no(question)} ")):
            text = _("Not stored. Set {variable} in the environment instead.")
            place.out.line(text.format(variable=", ".join(keys)))
            return False
        _store(place, keys, allow_file=True)
    place.out.line(_("The key is stored."))
    return True


def _store(place: Place, keys: Mapping[str, str], *, allow_file: bool) -> None:
    for name, key in keys.items():
        store_key(name, key, place.home, allow_file=allow_file)


def answer(question: str, ask: Callable[[str], str] = input) -> str:
    """One line; whoever leaves instead does not find the shell's prompt behind the question."""
    try:
        return ask(question).strip()
    except KeyboardInterrupt:
        sys.stdout.write("\n")
        raise
    except EOFError:
        sys.stdout.write("\n")
        raise UsageError(_("Nothing was entered."), hint=_("Nothing was changed.")) from None
