"""GitHub Copilot: a token of minutes, and for each model the wire that the service names for it."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from typing import Any

from msgspec import Struct, structs

from chatcli import __version__
from chatcli.errors import AuthError, ModelNotFound
from chatcli.events import ReplyEvent
from chatcli.messages import UserMessage
from chatcli.providers.anthropic_messages import AnthropicMessages
from chatcli.providers.base import Provider, Request
from chatcli.providers.images import ANTHROPIC_IMAGES
from chatcli.providers.list_shapes import copilot_models
from chatcli.providers.openai_chat import OpenAIChat
from chatcli.providers.openai_chat_body import Dialect
from chatcli.providers.openai_responses import OpenAIResponses
from chatcli.providers.replies import relay
from chatcli.providers.service import Service
from chatcli.providers.transport import Transport

_GITHUB_URL = "https://api.github.com"
_EXCHANGE_PATH = "/copilot_internal/v2/token"
_RENEW_EARLY_SECONDS = 60.0
_CLIENT = {
    "Editor-Version": f"chatcli/{__version__}",
    "Editor-Plugin-Version": f"chatcli/{__version__}",
    "Copilot-Integration-Id": "vscode-chat",
    "Openai-Intent": "conversation-edits",
}
"""The service wants to know the client; an integration that it does not know is refused."""


def headers(request: Request) -> Mapping[str, str]:
    """A request is the user's when it brings his words: those are billed. All others are the agent's."""
    newest = request.messages[-1]
    from_user = isinstance(newest, UserMessage) and bool(newest.text)
    initiator = {"X-Initiator": "user" if from_user else "agent"}
    shows = any(image.data for m in request.messages if isinstance(m, UserMessage) for image in m.images)
    return {**_CLIENT, **initiator, **({"Copilot-Vision-Request": "true"} if shows else {})}


class Token(Struct, frozen=True, kw_only=True):
    """What opens the service for some minutes, and where the service is for this plan."""

    value: str
    url: str
    expires_at_seconds: float
    """Of the monotonic clock."""


class Copilot:
    """One subscription. The adapter is made anew with each token; a reply on its way keeps its own."""

    def __init__(self, service: Service, dialect: Dialect, *, redirected: bool) -> None:
        """`redirected`: the exchange takes place there too."""
        self.name = service.name
        self.model = service.model
        self.cache = service.cache
        self.window_tokens = service.window_tokens
        self._service = service
        self._dialect = dialect
        self._redirected = redirected
        self._transport = Transport(service)
        self._token: Token | None = None
        self._adapters: list[Provider] = []

    async def stream(self, request: Request) -> AsyncIterator[ReplyEvent]:
        """A token that is refused before its time is exchanged once more."""
        for renewed in (False, True):
            adapter = await self._ready()
            try:
                async with aclosing(relay(adapter.stream(request))) as events:
                    async for event in events:
                        yield event
                return
            except AuthError as error:
                self._token = None
                if renewed or error.status != 401:
                    raise

    async def models(self) -> Any:
        """The service's own list, as it comes."""
        return await self._list(await self._exchange())

    async def aclose(self) -> None:
        await self._transport.aclose()
        for adapter in self._adapters:
            await adapter.aclose()

    async def _ready(self) -> Provider:
        if self._token is None or time.monotonic() >= self._token.expires_at_seconds:
            token = await self._exchange()
            listed = copilot_models(await self._list(token))
            self._adapters.append(self._adapter_for(token, listed.get(self.model, {})))
            self._token = token
        return self._adapters[-1]

    async def _list(self, token: Token) -> Any:
        bearer = {"Authorization": f"Bearer {token.value}", **_CLIENT}
        return await self._transport.fetch(f"{token.url}/models", headers=bearer)

    async def _exchange(self) -> Token:
        """Tokens of some kinds of login are not exchanged: they are used as they are."""
        proof = {"Authorization": f"token {self._service.key}", **_CLIENT}
        place = self._service.base_url if self._redirected else _GITHUB_URL
        try:
            given = await self._transport.fetch(place + _EXCHANGE_PATH, headers=proof)
        except (AuthError, ModelNotFound):
            return Token(value=self._service.key, url=self._service.base_url, expires_at_seconds=float("inf"))
        lifetime_seconds = float(given.get("expires_at") or 0) - time.time() - _RENEW_EARLY_SECONDS
        of_plan = "" if self._redirected else (given.get("endpoints") or {}).get("api")
        return Token(
            value=str(given.get("token") or ""),
            url=str(of_plan or self._service.base_url),
            expires_at_seconds=time.monotonic() + lifetime_seconds,
        )

    def _adapter_for(self, token: Token, model: Mapping[str, Any]) -> Provider:
        service = structs.replace(
            self._service, key=token.value, base_url=token.url, bearer=True, headers=headers
        )
        limits = (model.get("capabilities") or {}).get("limits") or {}
        # Smaller than at the vendor itself: what the service says counts.
        window_tokens = limits.get("max_prompt_tokens") or limits.get("max_context_window_tokens")
        if window_tokens and not service.window_given:
            self.window_tokens = window_tokens
            service = structs.replace(service, window_tokens=window_tokens)
        if output_tokens := limits.get("max_output_tokens"):
            service = structs.replace(service, max_output_tokens=output_tokens)
        sees = ((model.get("capabilities") or {}).get("supports") or {}).get("vision")
        if isinstance(sees, bool):
            service = structs.replace(service, vision=sees)
        endpoints = model.get("supported_endpoints") or ()
        if "/v1/messages" in endpoints:
            self.cache = "explicit"
            return AnthropicMessages(structs.replace(service, cache="explicit", images=ANTHROPIC_IMAGES))
        if "/responses" in endpoints:
            return OpenAIResponses(service)
        return OpenAIChat(service, self._dialect)
