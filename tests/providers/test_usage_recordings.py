"""Recorded streams of every wire and dialect: the figures are those computed by hand from the raw ones."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from chatcli.events import Reply, UsageSeen
from chatcli.providers.anthropic_messages import AnthropicReader
from chatcli.providers.converse import ConverseReader
from chatcli.providers.gemini_native import GeminiReader
from chatcli.providers.ollama import OllamaReader
from chatcli.providers.openai_chat import ChatReader
from chatcli.providers.openai_responses import ResponsesReader
from chatcli.providers.prices import cost_usd
from chatcli.providers.replies import Chunk, Reader, read_reply
from chatcli.providers.service import Service
from chatcli.providers.stackspot import StackSpotReader
from tests.providers.usage_recordings import RECORDINGS, Recording

READERS: dict[str, Callable[[Service], Reader]] = {
    "anthropic": lambda service: AnthropicReader(service, request_bytes=0),
    "responses": lambda service: ResponsesReader(service, request_bytes=0),
    "chat": lambda service: ChatReader(service, request_bytes=0, position=1),
    "gemini": lambda service: GeminiReader(service, request_bytes=0, position=1),
    "converse": lambda service: ConverseReader(service, request_bytes=0),
    "ollama": lambda service: OllamaReader(service, request_bytes=0, position=1),
    "stackspot": lambda service: StackSpotReader(service, request_bytes=0),
}


async def replay(recording: Recording) -> list:
    async def chunks():
        for chunk in recording.chunks:
            yield Chunk(chunk)

    service = Service(name=recording.provider, model=recording.model, base_url="")
    return [event async for event in read_reply(chunks(), READERS[recording.wire](service))]


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda recording: recording.name)
async def test_what_a_service_reported_is_what_is_counted(recording: Recording) -> None:
    *_, last = await replay(recording)
    assert isinstance(last, Reply)
    assert last.usage == recording.usage


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda recording: recording.name)
async def test_the_last_usage_that_is_told_is_that_of_the_reply(recording: Recording) -> None:
    events = await replay(recording)
    told = [event.usage for event in events if isinstance(event, UsageSeen)]
    assert told[-1] == recording.usage


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda recording: recording.name)
def test_the_price_is_that_of_the_list_or_what_was_charged(recording: Recording) -> None:
    usd = cost_usd(recording.provider, recording.model, recording.usage, recording.at)
    assert usd == (None if recording.usd is None else pytest.approx(recording.usd))


def test_every_wire_is_recorded() -> None:
    assert {recording.wire for recording in RECORDINGS} == set(READERS)
