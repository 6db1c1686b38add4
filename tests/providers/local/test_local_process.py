"""The process in which the model runs: what it is told, what it imports, when it ends."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from msgspec import structs

from chatcli.agent.opening import opening_notices
from chatcli.agent.requests import draft
from chatcli.context.tokens import estimate_request_tokens
from chatcli.errors import ModelNotFound, ProviderError
from chatcli.events import Reply
from chatcli.messages import Usage
from chatcli.providers.local import provider as local_provider
from chatcli.providers.local.models import find_model
from chatcli.providers.local.provider import Local, connect
from chatcli.settings import Settings
from tests.providers.conversation import receive, request, usages, user
from tests.providers.local.conftest import write_script
from tests.providers.local.gguf_files import write_gguf


@pytest.fixture
def model(tmp_path, stand_in) -> Path:
    path = write_gguf(tmp_path / "m.gguf")
    write_script(path, *[[{"text": "Yes."}]] * 9)
    return path


async def test_it_gets_no_key_and_imports_nothing_from_the_folder_it_is_started_in(
    model, tmp_path, monkeypatch
):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-secret")
    (tmp_path / "msgspec.py").write_text("raise SystemExit('planted')\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    _events, reply = await receive(Local(find_model(str(model), None)))
    assert isinstance(reply, Reply)
    known = Path(f"{model}.environment").read_text(encoding="utf-8").split()
    assert "ANTHROPIC_API_KEY" not in known
    assert "OMP_WAIT_POLICY" in known


async def test_it_is_started_once_and_ends_with_the_provider(model):
    provider = Local(find_model(str(model), None))
    pids = []
    for _time in range(2):
        async for _event in provider.stream(request(user(1, "Hi."))):
            pass
        pids.append(provider._engine._process.pid)
    assert pids[0] == pids[1]
    await provider.aclose()
    with pytest.raises(ProcessLookupError):
        os.kill(pids[0], 0)


async def test_how_large_the_prompt_is_does_not_depend_on_how_much_of_it_was_read(model):
    first, *_others, last = await usages(Local(find_model(str(model), None)))
    assert first == Usage(input=40, cache_read=60, estimated=True)
    assert last == Usage(input=40, cache_read=60, output=1)


async def test_two_requests_at_once_are_answered_one_after_the_other(model):
    provider = Local(find_model(str(model), None))

    async def texts() -> list[str]:
        events = [event async for event in provider.stream(request(user(1, "Hi.")))]
        return [part.text for part in events[-1].parts]

    assert await asyncio.gather(texts(), texts(), texts()) == [["Yes."]] * 3
    await provider.aclose()


def test_without_the_library_it_is_said_how_to_get_it(model, monkeypatch):
    monkeypatch.setattr(local_provider, "is_installed", lambda: False)
    with pytest.raises(ProviderError) as caught:
        connect(str(model), Settings(), None)
    assert caught.value.hint == "pip install 'chatcli[local]'"


def test_without_a_model_it_is_said_how_to_get_one(tmp_path, stand_in_here):
    with pytest.raises(ModelNotFound) as caught:
        connect("", Settings(), tmp_path)
    assert "chatcli local get" in caught.value.hint


def test_the_user_decides_about_the_window(model, stand_in_here):
    assert connect(str(model), Settings(), None).window_tokens == 8_192
    assert connect(str(model), Settings(context_window_tokens=2_048), None).window_tokens == 2_048


@pytest.mark.parametrize(
    ("parameters", "worth"),
    [
        (135_000_000, "a 135M model: a demonstration, not an assistant"),
        (1_500_000_000, "a 1.5B model: good for single steps, not for long tasks"),
        (7_000_000_000, "a 7.0B model"),
    ],
)
async def test_what_the_model_is_worth_is_said_before_the_first_word(play, parameters, worth):
    async with play(parameters=parameters) as open_talk:
        notices = [notice.text for notice in opening_notices(open_talk().conversation)]
    assert f"small: {worth}" in notices


@pytest.mark.parametrize(
    "assignment",
    ["CHATCLI_TOOL_PROTOCOL=text", "CHATCLI_FALLBACK_PROVIDERS=OFFLINE"],
    ids=["text", "failover"],
)
async def test_it_is_said_too_where_another_provider_stands_in_front(play, assignment):
    async with play() as open_talk:
        conversation = open_talk(assignments=(assignment,)).conversation
        notices = [notice.text for notice in opening_notices(conversation)]
    assert "small: a 135M model: a demonstration, not an assistant" in notices


@pytest.mark.parametrize(
    ("assignments", "form"),
    [
        ((), "line"),
        (("CHATCLI_TOOL_PROTOCOL=text",), "described"),
        (("CHATCLI_FALLBACK_PROVIDERS=OFFLINE",), "line"),
    ],
)
async def test_tools_are_counted_as_they_are_sent(play, assignments, form):
    async with play() as open_talk:
        request = draft(open_talk(assignments=assignments).conversation.beside()).request
    assert request.tool_form == form
    as_schemas = structs.replace(request, tool_form="schema")
    assert estimate_request_tokens(request) < 0.8 * estimate_request_tokens(as_schemas)


@pytest.mark.parametrize(("parameters", "free"), [(1_500_000_000, False), (7_000_000_000, True)])
async def test_a_small_model_has_to_look_before_it_answers(play, parameters, free):
    """Then it may answer, and in what is not the user's own word it always may."""
    calls_tree = [{"text": '{"tool": "tree", "arguments": {}}'}]
    async with play(calls_tree, [{"text": "One file."}], parameters=parameters) as open_talk:
        talk = open_talk()
        await talk.say("What is here?")
    first, second = (body["grammar"].partition("\n")[0] for body in talk.bodies)
    assert first.startswith("root ::= text |") is free
    assert second.startswith("root ::= text |")
