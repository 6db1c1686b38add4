"""Amazon Bedrock: Claude on Anthropic's wire, over either of two surfaces; all other models on Converse.

A model id with the prefix of an inference profile (`global.`, `us.` ...) is served by InvokeModel, a
bare `anthropic.` id by Mantle, which is Anthropic's own API at Amazon.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from typing import Any
from urllib.parse import quote

import msgspec
from msgspec import structs

from chatcli.events import ReplyEvent
from chatcli.providers import anthropic_body, converse_body
from chatcli.providers.amazon import Identity, region
from chatcli.providers.anthropic_messages import AnthropicReader
from chatcli.providers.base import Provider, Request
from chatcli.providers.converse import ConverseReader
from chatcli.providers.encoding import encode
from chatcli.providers.error_bodies import Failure
from chatcli.providers.eventstream import Message, messages
from chatcli.providers.failures import error_of
from chatcli.providers.images import text_bytes
from chatcli.providers.model_names import bare_name, without_region
from chatcli.providers.replies import Chunk, read_reply
from chatcli.providers.service import Service
from chatcli.providers.transport import Transport, sse_objects

RUNTIME_URL = "https://bedrock-runtime.{region}.amazonaws.com"
_MANTLE_URL = "https://bedrock-mantle.{region}.api.aws"
_MANTLE_PATH = "/anthropic/v1/messages"
_VERSION = {"anthropic-version": "2023-06-01"}
"""Mantle wants this header; the other surfaces do not mind it."""
_ON_MANTLE_ALONE = ("claude-fable-5", "claude-mythos-5")
_CACHED = ("amazon.nova",)
"""Beginnings of ids whose models take breakpoints of the prompt cache on Converse."""


def connect(service: Service, environment: Mapping[str, str]) -> Provider:
    """The adapter for this model. `{region}` in the service's address is filled in here."""
    identity = Identity(service, environment)
    here = region(environment)
    redirected = "{region}" not in service.base_url
    service = structs.replace(service, base_url=service.base_url.format(region=here))
    bare = without_region(service.model)
    if "anthropic.claude" not in service.model:
        cache = service.cache if bare.startswith(_CACHED) else "none"
        return BedrockConverse(structs.replace(service, cache=cache), identity)
    if not _is_on_mantle(service.model, environment.get("BEDROCK_ANTHROPIC_ENDPOINT", "")):
        return BedrockClaude(service, identity)
    url = service.base_url if redirected else _MANTLE_URL.format(region=here)
    url = environment.get("BEDROCK_MANTLE_BASE_URL", "").rstrip("/").removesuffix("/anthropic") or url
    return BedrockMantle(structs.replace(service, model=bare, base_url=url), identity)


def _is_on_mantle(model: str, wanted: str) -> bool:
    if wanted.strip().lower() in {"mantle", "invoke"}:
        return wanted.strip().lower() == "mantle"
    name = bare_name(model)
    # Sonnet 5 has no other surface; Sonnet 5.5 has both.
    return model.startswith("anthropic.") or name == "claude-sonnet-5" or name.startswith(_ON_MANTLE_ALONE)


class _Bedrock:
    """What the three have in common."""

    def __init__(self, service: Service, identity: Identity) -> None:
        self.name = service.name
        self.model = service.model
        self.cache = service.cache
        self.window_tokens = service.window_tokens
        self._service = service
        self._identity = identity
        self._transport = Transport(service)

    async def aclose(self) -> None:
        await self._transport.aclose()

    async def _post(
        self, path: str, body: bytes, signing_name: str = "bedrock"
    ) -> AsyncGenerator[bytes, None]:
        url = self._service.base_url + path
        proof = await self._identity.headers(url, body, signing_name=signing_name)
        async with aclosing(self._transport.post(path, body, {**_VERSION, **proof})) as pieces:
            async for piece in pieces:
                yield piece

    def _path(self, request: Request, operation: str) -> str:
        return f"/model/{quote(request.model, safe='')}/{operation}"

    def _claude(self, request: Request) -> dict[str, Any]:
        return anthropic_body.render(
            self._service.visible(request),
            provider=self.name,
            max_output_tokens=self._service.output_limit(request),
            ttl=self._service.cache_ttl(request),
        )


class BedrockClaude(_Bedrock):
    """Claude by InvokeModel: Anthropic's events, each wrapped in a binary message."""

    def stream(self, request: Request) -> AsyncIterator[ReplyEvent]:
        rendered = self._claude(request)
        del rendered["model"], rendered["stream"]
        body = encode({"anthropic_version": "bedrock-2023-05-31", **rendered})
        answer = self._post(self._path(request, "invoke-with-response-stream"), body)
        reader = AnthropicReader(self._service, request_bytes=text_bytes(body))
        return read_reply(self._events(answer), reader)

    async def _events(self, pieces: AsyncGenerator[bytes, None]) -> AsyncGenerator[Chunk, None]:
        async with aclosing(messages(pieces, self._service)) as found:
            async for message in found:
                _raise_failure(message, self._service)
                event = b64decode(msgspec.json.decode(message.payload)["bytes"])
                yield msgspec.json.decode(event, type=dict)


class BedrockMantle(_Bedrock):
    """Claude by Anthropic's own API at Amazon: server-sent events."""

    def stream(self, request: Request) -> AsyncIterator[ReplyEvent]:
        body = encode(self._claude(request))
        answer = self._post(_MANTLE_PATH, body, signing_name="bedrock-mantle")
        reader = AnthropicReader(self._service, request_bytes=text_bytes(body))
        return read_reply(sse_objects(answer, self._service), reader)


class BedrockConverse(_Bedrock):
    """Nova, Llama, Mistral and whatever else Bedrock serves."""

    def stream(self, request: Request) -> AsyncIterator[ReplyEvent]:
        ttl = self._service.cache_ttl(request) if self.cache == "explicit" else None
        body = encode(converse_body.render(self._service.visible(request), provider=self.name, ttl=ttl))
        answer = self._post(self._path(request, "converse-stream"), body)
        reader = ConverseReader(self._service, request_bytes=text_bytes(body))
        return read_reply(self._events(answer), reader)

    async def _events(self, pieces: AsyncGenerator[bytes, None]) -> AsyncGenerator[Chunk, None]:
        async with aclosing(messages(pieces, self._service)) as found:
            async for message in found:
                _raise_failure(message, self._service)
                yield {message.headers.get(":event-type", ""): msgspec.json.decode(message.payload)}


def _raise_failure(message: Message, service: Service) -> None:
    """A failure inside the stream comes as a message of another kind: `throttlingException`."""
    if message.headers.get(":message-type", "event") == "event":
        return
    name = message.headers.get(":exception-type") or message.headers.get(":error-code") or ""
    try:
        said = msgspec.json.decode(message.payload)
    except msgspec.DecodeError:
        said = {}
    detail = str(said.get("message") or message.headers.get(":error-message") or "")
    raise error_of(Failure(status=200, code=name[:1].upper() + name[1:], detail=detail), service)
