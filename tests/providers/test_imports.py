"""Start-up: SDKs are imported in the background or at the first request, never before."""

from __future__ import annotations

import subprocess
import sys

import pytest

from chatcli.providers import warm

ALL = """
import sys
from chatcli.providers import anthropic_messages, base, catalogue, credentials, ollama, openai_chat
from chatcli.providers import openai_responses, prices, retry, table, usage, warm
from chatcli.errors import UserFacingError
from chatcli.settings import Settings
for spec in table.SPECS:
    key = credentials.Credential("k", "environment", "K")
    try:
        table.create(spec, "m", Settings(), {}, lambda names: key)
    except UserFacingError:
        assert spec.name in ("OPENAI_ASSISTANT", "GITHUB_MODELS", "LOCAL")
print(*sys.modules)
"""
HEAVY = {"anthropic", "openai", "httpx", "httpx2", "pydantic", "genai_prices", "keyring", "tiktoken", "rich"}


def test_no_provider_imports_an_sdk_before_it_is_asked():
    loaded = subprocess.check_output([sys.executable, "-c", ALL], text=True).split()
    assert set(loaded) & HEAVY == set()


async def test_a_module_is_imported_once_and_given_to_everybody_who_waits():
    warm.preload("ollama")
    warm.preload("offline")
    assert await warm.module("httpx") is await warm.module("httpx") is sys.modules["httpx"]


async def test_a_module_that_cannot_be_imported_is_said_to_whoever_waits():
    with pytest.raises(ImportError):
        await warm.module("chatcli.no_such_module")


LEAVE = """
import asyncio, os
from tests.providers.conversation import request
from tests.providers.test_every_wire import provider
from tests.wire import script
from tests.wire.server import serve

async def main(wire):
    with serve([script.reply("I ", script.hold())] * 2) as server:
        asked = provider(wire, server)
        async for event in asked.stream(request(model=asked.model)):
            break  # the stream is left open, as after a cancel
        stream = asked.stream(request(model=asked.model))
        task = asyncio.ensure_future(anext(stream))
        await asyncio.sleep(0)
        task.cancel()
        await asked.aclose()

for wire in ("CLAUDEAI", "RESPONSES", "OPENROUTER", "OLLAMA"):
    asyncio.run(main(wire))
"""


def test_leaving_in_the_middle_of_a_reply_makes_no_noise():
    left = subprocess.run(
        [sys.executable, "-W", "default", "-c", LEAVE], capture_output=True, text=True, check=False
    )
    assert (left.returncode, left.stdout, left.stderr) == (0, "", "")
