"""The checks of `chatcli doctor` that are about the provider: who it is, the way there, does it answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path

from chatcli.agent.text_protocol.choice import tools_in_text
from chatcli.certificates import trusted
from chatcli.errors import UserFacingError
from chatcli.i18n import _, filled
from chatcli.providers import table
from chatcli.providers.catalogue import facts
from chatcli.providers.clients import connect, proxy_of
from chatcli.providers.service import Service
from chatcli.providers.specs import default_model
from chatcli.settings import Settings
from chatcli.terminal.commands_cli.connect import ask_once
from chatcli.terminal.commands_cli.doctor_checks import Finding
from chatcli.terminal.commands_cli.place import Place
from chatcli.terminal.commands_cli.used import provider_in_use, settings_here

_EARLIEST_YEAR = 2026
_MOST_SKEW_SECONDS = 300
"""With more, signatures and tokens are refused."""
_HEAD_SECONDS = 10


def provider(place: Place) -> Iterator[Finding]:
    """Which one would be used and why, and how its model calls tools."""
    about = _("provider")
    try:
        settings = settings_here(place).settings
        choice = provider_in_use(place)
    except UserFacingError as error:
        yield Finding(level="bad", about=about, found=error.message, fix=error.hint)
        return
    spec = choice.spec
    if spec.wire == "offline":
        yield Finding(level="note", about=about, found=f"OFFLINE: {choice.reason}", fix="chatcli setup")
        return
    model = _model(choice, settings, place)
    name = f"{spec.name}/{model}" if model else spec.name
    yield Finding(about=about, found=f"{name}: {choice.reason}")
    in_text = tools_in_text(spec, model, settings.tool_protocol)
    sees = facts(model, spec.name).vision
    yield Finding(
        about=_("model"),
        found=", ".join(
            (
                _("calls tools in text") if in_text else _("calls tools natively"),
                _("sees images") if sees else _("is not known to see images"),
            )
        ),
    )
    yield from _way(_service(choice, settings, place))
    yield from _usual_certificates(place)


def clock(place: Place) -> Iterator[Finding]:
    now = datetime.now(UTC)
    found = f"{now:%Y-%m-%d %H:%M} UTC"
    if now.year < _EARLIEST_YEAR:
        fix = _("Set the clock: certificates and signatures depend on it.")
        yield Finding(level="bad", about=_("clock"), found=found, fix=fix)
    else:
        yield Finding(about=_("clock"), found=found)


def live(place: Place) -> Iterator[Finding]:
    """One tiny request to the provider in use; costs a few tokens."""
    about = _("live check")
    try:
        choice = provider_in_use(place)
        settings = settings_here(place).settings
        if choice.spec.wire == "offline":
            yield Finding(level="note", about=about, found=_("there is no model to ask"), fix="chatcli setup")
            return
        began = time.monotonic()
        answered_by = asyncio.run(ask_once(place, choice.spec, {}, _model(choice, settings, place)))
    except TimeoutError:
        yield Finding(level="bad", about=about, found=_("no answer in time"), fix=_("Try again in a moment."))
        return
    except UserFacingError as error:
        yield Finding(level="bad", about=about, found=error.message, fix=error.hint)
        return
    seconds = time.monotonic() - began
    yield Finding(about=about, found=filled(_("{model} answered in {n:.1f} s"), model=answered_by, n=seconds))
    skew_seconds = asyncio.run(_skew_seconds(_service(choice, settings, place)))
    if skew_seconds is not None and abs(skew_seconds) > _MOST_SKEW_SECONDS:
        yield Finding(
            level="bad",
            about=_("clock"),
            found=_("{n:.0f} min away from that of the service").format(n=skew_seconds / 60),
            fix=_("Set the clock: certificates and signatures depend on it."),
        )


def _model(choice: table.Choice, settings: Settings, place: Place) -> str:
    return settings.model or choice.model or default_model(choice.spec, place.environment)


def _service(choice: table.Choice, settings: Settings, place: Place) -> Service:
    model = _model(choice, settings, place)
    return table.service_of(choice.spec, model, settings, place.environment, lambda _names: None)


def _way(service: Service) -> Iterator[Finding]:
    """Proxy and certificates, where something about them is set."""
    if proxy := proxy_of(service):
        yield Finding(about=_("proxy"), found=proxy)
    if service.ca_bundle:
        about = _("certificates")
        try:
            trusted(service.ca_bundle)
        except UserFacingError as error:
            yield Finding(level="bad", about=about, found=error.message, fix=error.hint)
        else:
            yield Finding(about=about, found=service.ca_bundle)


def _usual_certificates(place: Place) -> Iterator[Finding]:
    """A file that is not there leaves nothing to trust, and OpenSSL does not say so."""
    for variable in ("SSL_CERT_FILE", "SSL_CERT_DIR"):
        named = place.environment.get(variable, "")
        if named and not Path(named).exists():
            yield Finding(
                level="bad",
                about=variable,
                found=_("{path} does not exist: no certificate is trusted").format(path=named),
                fix=_("Unset {variable}, or mend it.").format(variable=variable),
            )


async def _skew_seconds(service: Service) -> float | None:
    """How far the clock is ahead of the service's; None when it does not tell."""
    import httpx

    async with connect(httpx, service) as client:
        try:
            answer = await client.head(service.base_url, timeout=_HEAD_SECONDS)
            told = parsedate_to_datetime(answer.headers["date"])
        except (httpx.HTTPError, KeyError, ValueError):
            return None
    return time.time() - told.timestamp()
