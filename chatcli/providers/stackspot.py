"""StackSpot's agents: OAuth client credentials, and a stream in either of two shapes.

An agent there has no native tools: calls and results are text before they come here.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from chatcli.errors import AuthError
from chatcli.events import ReplyEvent
from chatcli.messages import StopReason, Usage
from chatcli.providers import stackspot_body
from chatcli.providers.base import Provider, Request
from chatcli.providers.encoding import encode
from chatcli.providers.error_bodies import failure_of
from chatcli.providers.failures import error_of
from chatcli.providers.images import text_bytes
from chatcli.providers.replies import Chunk, read_reply
from chatcli.providers.service import Service
from chatcli.providers.transport import Transport, sse_objects
from chatcli.providers.usage import chat_usage, stackspot_usage
from chatcli.providers.wire_reader import WireReader

if TYPE_CHECKING:
    from chatcli.providers.table import FindKey

DEFAULT_AUTH_URL = "https://idm.stackspot.com"
DEFAULT_REALM = "zup"
_RENEW_EARLY_SECONDS = 60.0
_STOP_REASONS: dict[str, StopReason] = {"length": "max_tokens", "content_filter": "refusal"}


def connect(service: Service, environment: Mapping[str, str], find_key: FindKey) -> Provider:
    """The adapter for one agent. `STACKSPOT_AUTH_URL` is the base of the identity service."""
    auth_url = environment.get("STACKSPOT_AUTH_URL", "").strip().rstrip("/") or DEFAULT_AUTH_URL
    realm = environment.get("STACKSPOT_REALM", "").strip() or DEFAULT_REALM
    token_url = auth_url if auth_url.endswith("/token") else f"{auth_url}/{realm}/oidc/oauth/token"
    client_id = find_key(("CLIENT_ID",))
    return StackSpot(service, client_id=client_id.value if client_id else "", token_url=token_url)


class StackSpot:
    """One agent; its id is the model."""

    def __init__(self, service: Service, *, client_id: str, token_url: str) -> None:
        self.name = service.name
        self.model = service.model
        self.cache = service.cache
        self.window_tokens = service.window_tokens
        self._service = service
        self._transport = Transport(service)
        self._client_id = client_id
        self._token_url = token_url
        self._token = ""
        self._expires_at_seconds = 0.0

    def stream(self, request: Request) -> AsyncIterator[ReplyEvent]:
        body = encode(stackspot_body.render(self._service.visible(request)))
        reader = StackSpotReader(self._service, request_bytes=text_bytes(body))
        path = f"/v1/agent/{quote(request.model, safe='')}/chat"
        return read_reply(sse_objects(self._post(path, body), self._service), reader)

    async def aclose(self) -> None:
        await self._transport.aclose()

    async def _post(self, path: str, body: bytes) -> AsyncGenerator[bytes, None]:
        """A token that is refused before its time is renewed once."""
        for renewed in (False, True):
            headers = {"Authorization": f"Bearer {await self._fresh_token()}", "Accept": "text/event-stream"}
            try:
                async with aclosing(self._transport.post(path, body, headers)) as pieces:
                    async for piece in pieces:
                        yield piece
                return
            except AuthError:
                self._token = ""
                if renewed:
                    raise

    async def _fresh_token(self) -> str:
        if not self._token or time.monotonic() >= self._expires_at_seconds:
            form = {
                "grant_type": "client_credentials",
                "client_id": self._client_id,
                "client_secret": self._service.key,
            }
            granted = await self._transport.fetch(self._token_url, form=form)
            self._token = str(granted.get("access_token") or "")
            lifetime_seconds = float(granted.get("expires_in") or 0.0)
            self._expires_at_seconds = time.monotonic() + lifetime_seconds - _RENEW_EARLY_SECONDS
        return self._token


class StackSpotReader(WireReader):
    """Reads both shapes: the flat one with `message`, and that of OpenAI's chunks."""

    def read(self, chunk: Chunk) -> Iterator[ReplyEvent]:
        if chunk.get("type") == "error" or chunk.get("error"):
            raise error_of(failure_of(200, chunk), self._service)
        self._reported = chunk.get("tokens") or chunk.get("usage") or self._reported
        if chunk.get("type") == "done":
            self.complete = True
        elif text := chunk.get("message"):
            yield from self._assembly.text("text", text)
        for choice in chunk.get("choices") or ():
            if text := (choice.get("delta") or {}).get("content"):
                yield from self._assembly.text("text", text)
            self._finish(choice.get("finish_reason"))
        self._finish(chunk.get("stop_reason"))

    def _usage_of(self, reported: dict[str, Any]) -> Usage:
        return stackspot_usage(reported) if "user" in reported else chat_usage(reported)

    def _finish(self, reason: str | None) -> None:
        if reason:
            self.complete = True
            self._stop_reason = _STOP_REASONS.get(reason, "end")
