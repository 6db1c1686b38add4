"""GitHub's device flow: the person confirms a short code in a browser, the program gets a token.

The id of the app that asks is the user's to give (`CHATCLI_COPILOT_CLIENT_ID`): chatcli has none of
its own that Copilot knows, and does not use that of another program.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from msgspec import Struct

from chatcli.errors import AuthError
from chatcli.i18n import _
from chatcli.providers.service import Service
from chatcli.providers.transport import Transport

GITHUB_LOGIN_URL = "https://github.com/login"
_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
_SCOPE = "read:user"
_USUAL_SECONDS = 5.0
"""Between two questions where the service does not say (RFC 8628); as much more when that is too often."""
_JSON = {"Accept": "application/json"}

Sleep = Callable[[float], Awaitable[None]]


class DeviceCode(Struct, frozen=True, kw_only=True):
    """What the person types, and where. GitHub's words."""

    user_code: str
    verification_uri: str


async def log_in(
    service: Service,
    login_url: str,
    client_id: str,
    show: Callable[[DeviceCode], None],
    *,
    sleep: Sleep = asyncio.sleep,
) -> str:
    """GitHub's token, once the person has confirmed.

    Raises AuthError when he refuses, the code expires, or GitHub does not know the app.
    """
    transport = Transport(service)
    try:
        form = {"client_id": client_id, "scope": _SCOPE}
        begun = await transport.fetch(f"{login_url}/device/code", headers=_JSON, form=form)
        if not all(begun.get(part) for part in ("device_code", "user_code", "verification_uri")):
            raise _refused(service, begun)
        show(DeviceCode(user_code=begun["user_code"], verification_uri=begun["verification_uri"]))
        interval_seconds = float(begun.get("interval") or _USUAL_SECONDS)
        form = {"client_id": client_id, "device_code": begun["device_code"], "grant_type": _GRANT}
        while True:
            await sleep(interval_seconds)
            answer = await transport.fetch(f"{login_url}/oauth/access_token", headers=_JSON, form=form)
            if token := answer.get("access_token"):
                return str(token)
            match answer.get("error"):
                case "authorization_pending":
                    pass
                case "slow_down":
                    interval_seconds = float(answer.get("interval") or interval_seconds + _USUAL_SECONDS)
                case _:
                    raise _refused(service, answer)
    finally:
        await transport.aclose()


def _refused(service: Service, answer: Any) -> AuthError:
    code = str(answer.get("error") or "")
    match code:
        case "access_denied":
            why = _("the login was refused in the browser")
        case "expired_token":
            why = _("the code has expired before it was confirmed")
        case _:
            why = code or _("GitHub gave no code")
    return AuthError(
        _("{provider}: not logged in: {why}.").format(provider=service.name, why=why),
        hint=_("Try again with: chatcli auth login {provider}").format(provider=service.name),
        provider=service.name,
    )
