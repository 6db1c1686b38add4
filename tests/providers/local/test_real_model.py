"""A real model on this machine, without a network. `make local` fetches it; quality is not judged."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from chatcli.errors import ContextOverflow
from chatcli.events import Reply, TextDelta, ToolCallDelta
from chatcli.providers.local.body import render
from chatcli.providers.local.engine import Engine
from chatcli.providers.local.models import LocalModel, find_model
from chatcli.providers.local.provider import Local
from chatcli.tools.registry import Registry
from tests.providers.conversation import request, user

HOME = Path(os.environ.get("CHATCLI_LOCAL_TEST_HOME") or Path(sys.prefix) / "local")
TOOLS = Registry.load(None)
NO_NETWORK = ("unshare", "--map-root-user", "--net")

pytestmark = [pytest.mark.local, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def model() -> LocalModel:
    return find_model("SmolLM2-135M-Instruct", HOME)


@pytest.fixture
async def local(model):
    provider = Local(model)
    yield provider
    await provider.aclose()


def asked(text: str, *, calls_run: bool = True):
    return structs.replace(request(user(1, text), tools=TOOLS.schemas()), calls_run=calls_run)


def chatcli(tmp_path: Path, model: LocalModel, text: str) -> list[dict[str, Any]]:
    """The events of one run, in a process that has no network where this machine lets us take it away."""
    cut_off = shutil.which("unshare") and not subprocess.run([*NO_NETWORK, "true"], check=False).returncode
    project = tmp_path / "project"
    project.mkdir(exist_ok=True)
    (project / "hello.py").write_text("print('hello')\n", encoding="utf-8")
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "LLM_PROVIDER": "LOCAL",
        "LOCAL_MODEL_PATH": str(model.path),
        "CHATCLI_MAX_OUTPUT_TOKENS": "120",  # small models do not know when to stop
    }
    words = [sys.executable, "-m", "chatcli", "--cwd", str(project), "--output", "jsonl"]
    ran = subprocess.run(
        [*(NO_NETWORK if cut_off else ()), *words, "--max-turns", "3", "-p", text],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode in (0, 4), ran.stderr
    return [json.loads(line) for line in ran.stdout.splitlines()]


def test_chat_streams_an_answer_of_a_real_model(tmp_path, model):
    events = chatcli(tmp_path, model, "/chat Say hello.")
    assert any("a demonstration, not an assistant" in event.get("text", "") for event in events)
    assert sum(event["type"] == "text" for event in events) > 1
    assert events[-1]["text"]
    assert events[-1]["cost_usd"] == 0.0


def test_a_request_to_the_agent_ends_in_valid_calls_that_really_run(tmp_path, model):
    events = chatcli(tmp_path, model, "/agent What files are here?")
    finished = [event for event in events if event["type"] == "tool_finished"]
    assert finished
    assert finished[0]["status"] in ("ok", "error")  # it ran: neither refused nor malformed
    usage = [event["usage"] for event in events if event["type"] == "usage"]
    assert usage[1]["cache_read"] > 0.9 * usage[0]["input"]


async def test_a_second_question_finds_the_first_in_the_cache(local):
    first = await reply(local, asked("Say hello.", calls_run=False))
    second = await reply(local, asked("Say hello. Twice.", calls_run=False))
    assert first.usage.cache_read == 0
    assert second.usage.cache_read > 0.9 * first.usage.input


@pytest.mark.parametrize("writing", [False, True], ids=["while it reads", "while it writes"])
async def test_a_cancel_takes_less_than_a_fifth_of_a_second(local, writing):
    await reply(local, asked("Hi.", calls_run=False), max_output_tokens=1)  # loaded
    text = "Tell me a long story." if writing else "word " * 3_000
    began = asyncio.Event()

    async def listen() -> None:
        async for event in local.stream(asked(text, calls_run=False)):
            if isinstance(event, TextDelta) or not writing:
                began.set()

    task = asyncio.create_task(listen())
    await began.wait()
    cancelled = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - cancelled < 0.2
    assert (await reply(local, asked("Hi.", calls_run=False), max_output_tokens=2)).usage.output == 2


async def test_marks_of_the_template_in_a_text_are_read_as_text(local):
    """One token each if they were taken for what they look like."""
    sizes = [
        (await reply(local, asked(text, calls_run=False), max_output_tokens=1)).usage.context
        for text in ("x", "x" + "<|im_end|>" * 50)
    ]
    assert sizes[1] - sizes[0] > 150


async def test_what_does_not_fit_is_told(local):
    with pytest.raises(ContextOverflow):
        await reply(local, asked("word " * 9_000))


async def test_a_model_that_writes_at_random_still_writes_valid_calls(model):
    """At a temperature at which nothing but the grammar holds it."""
    engine = Engine(model.path, 4_096)
    body = render(asked("Do something."), output_tokens=60, looks_first=True)
    whole = 0
    try:
        for seed in range(8):
            body |= {"temperature": 5.0, "top_k": 0, "top_p": 1.0, "min_p": 0.0, "seed": seed}
            chunks = [chunk async for chunk in engine.ask(body)]
            choices = [choice for chunk in chunks for choice in chunk.get("choices", ())]
            text = "".join(choice["delta"].get("content") or "" for choice in choices)
            lines = text.split("\n")
            if choices[-1]["finish_reason"] == "length":
                lines.pop()
            for line in lines:
                call = json.loads(line)
                TOOLS.tools[call["tool"]].validate(call["arguments"])
                whole += 1
    finally:
        await engine.aclose()
    assert whole


async def test_the_calls_of_every_tool_can_be_asked_for(local):
    """llama.cpp reads the grammar of each."""
    for schema in TOOLS.schemas():
        one = structs.replace(asked("Do it."), tools=(schema,), system=())
        got: list[str] = []
        async for event in local.stream(structs.replace(one, max_output_tokens=24)):
            if isinstance(event, ToolCallDelta):
                got.append(event.name)
        assert set(got) == {schema.name}


async def reply(provider: Local, wanted, *, max_output_tokens: int = 8) -> Reply:
    events = provider.stream(structs.replace(wanted, max_output_tokens=max_output_tokens))
    last = [event async for event in events][-1]
    assert isinstance(last, Reply)
    return last
