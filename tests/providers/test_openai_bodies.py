"""What is sent to OpenAI and to those who imitate it, on both wires."""

from __future__ import annotations

import pytest

from chatcli.messages import Reasoning, Text, ToolCall
from chatcli.providers import openai_chat_body, openai_responses_body
from chatcli.providers.base import Block, Marks
from chatcli.providers.encoding import encode
from chatcli.providers.openai_chat_body import Dialect
from chatcli.providers.specs import find_spec
from tests.providers.conversation import assistant, call, request, result, user

GPT = {"provider": "OPENAI", "model": "gpt-6.1-sol"}
ENCRYPTED = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x0x"}
CLAUDE_THERE = "anthropic/claude-sonnet-5.5"
OPENROUTER = find_spec("OPENROUTER").dialect
PLAIN = Dialect()
MARK = {"type": "ephemeral"}


def responses(*messages, **fields):
    asked = request(*messages, **{"model": "gpt-6.1-sol", **fields})
    return openai_responses_body.render(asked, provider="OPENAI")


def chat(*messages, dialect=PLAIN, provider="OPENAI", **fields):
    asked = request(*messages, **{"model": "gpt-6.1-sol", **fields})
    return openai_chat_body.render(asked, provider=provider, dialect=dialect)


# --- Responses ------------------------------------------------------------------------------------


def test_a_response_is_asked_for_with_these_bytes():
    body = responses(
        user(1, "Read ", "it."),
        assistant(2, Reasoning(text="Hm.", opaque=ENCRYPTED), Text("Yes."), call("c1"), **GPT),
        result(3, "c1", "two lines"),
        cache_key="session-1",
        max_output_tokens=500,
    )
    assert encode(body).decode() == (
        '{"model":"gpt-6.1-sol","stream":true,"store":false,"include":["reasoning.encrypted_content"],'
        '"prompt_cache_key":"session-1","max_output_tokens":500,"instructions":"Be brief.",'
        '"tools":[{"type":"function","name":"read","description":"Read a file.",'
        '"parameters":{"type":"object","properties":{"file":{"type":"string"}},"required":["file"]},"strict":false}],'
        '"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"Read "},'
        '{"type":"input_text","text":"it."}]},'
        '{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"x0x"},'
        '{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Yes."}]},'
        '{"type":"function_call","call_id":"c1","name":"read","arguments":"{\\"file\\": \\"a.py\\"}"},'
        '{"type":"function_call_output","call_id":"c1","output":"two lines"}]}'
    )


def test_outputs_follow_their_calls_in_call_order_before_what_the_user_said():
    body = responses(
        user(1, "Go."),
        assistant(2, call("c1"), call("c2"), **GPT),
        user(3, "Hurry."),
        result(4, "c2", "b"),
        result(5, "c1", "a"),
    )
    kinds = [(item["type"], item.get("call_id", "")) for item in body["input"]]
    assert kinds[1:] == [
        ("function_call", "c1"),
        ("function_call", "c2"),
        ("function_call_output", "c1"),
        ("function_call_output", "c2"),
        ("message", ""),
    ]


def test_reasoning_of_another_model_or_that_led_to_nothing_is_left_out():
    thought = Reasoning(opaque=ENCRYPTED)
    foreign = assistant(2, thought, Text("Yes."), provider="OPENAI", model="gpt-6-luna")
    cut = assistant(4, Text("Then"), thought, **GPT)
    body = responses(user(1, "Go."), foreign, user(3, "On."), cut, user(5, "On."))
    assert [item["type"] for item in body["input"]] == ["message"] * 5


def test_models_without_reasoning_are_not_asked_for_it():
    assert "include" not in responses(model="gpt-4.1")


def test_broken_arguments_are_sent_as_json_all_the_same():
    body = responses(user(1, "Go."), assistant(2, call("c1", '{"file": '), **GPT), result(3, "c1", "error"))
    assert body["input"][1]["arguments"] == '{"_unparsable_arguments":"{\\"file\\": "}'


# --- Chat Completions -----------------------------------------------------------------------------


def test_a_chat_completion_is_asked_for_with_these_bytes():
    body = chat(
        user(1, "Read", "it."),
        assistant(2, call("c1", '{"file":  "a.py"}'), **GPT),
        result(3, "c1", "two lines"),
        cache_key="session-1",
        max_output_tokens=500,
        dialect=Dialect(cache_key=True),
    )
    assert encode(body).decode() == (
        '{"model":"gpt-6.1-sol","stream":true,"stream_options":{"include_usage":true},'
        '"prompt_cache_key":"session-1","max_completion_tokens":500,'
        '"tools":[{"type":"function","function":{"name":"read","description":"Read a file.",'
        '"parameters":{"type":"object","properties":{"file":{"type":"string"}},"required":["file"]}}}],'
        '"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Read\\n\\nit."},'
        '{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function",'
        '"function":{"name":"read","arguments":"{\\"file\\":  \\"a.py\\"}"}}]},'
        '{"role":"tool","tool_call_id":"c1","content":"two lines"}]}'
    )


def test_a_plain_service_gets_no_fields_of_openai_alone():
    assert "prompt_cache_key" not in chat(cache_key="session-1")


def test_tool_messages_follow_their_calls_before_what_the_user_said():
    body = chat(
        user(1, "Go."),
        assistant(2, Text("Both."), call("c1"), call("c2"), **GPT),
        user(3, "Hurry."),
        result(4, "c2", "b"),
        result(5, "c1", "a"),
    )
    assert [(m["role"], m.get("tool_call_id", "")) for m in body["messages"][2:]] == [
        ("assistant", ""),
        ("tool", "c1"),
        ("tool", "c2"),
        ("user", ""),
    ]


def test_a_reply_that_said_nothing_is_left_out():
    body = chat(user(1, "Go."), assistant(2, Reasoning(text="Hm."), **GPT), user(3, "?"))
    assert [message["role"] for message in body["messages"]] == ["system", "user", "user"]


def test_openrouter_gets_its_reasoning_back():
    details = [{"type": "reasoning.text", "text": "Hm.", "signature": "s", "index": 0}]
    thought = Reasoning(text="Hm.", opaque={"reasoning_details": details})
    # The service names the model in its own way: same words, other order, a date.
    said = assistant(
        2, thought, Text("Yes."), provider="OPENROUTER", model="anthropic/claude-5.5-sonnet-20260929"
    )
    given = {"dialect": OPENROUTER, "provider": "OPENROUTER", "model": CLAUDE_THERE}
    assert chat(user(1, "Go."), said, user(3, "On."), **given)["messages"][2]["reasoning_details"] == details
    elsewhere = chat(user(1, "Go."), said, user(3, "On."), **{**given, "model": "openai/gpt-6.1-sol"})
    assert "reasoning_details" not in elsewhere["messages"][2]


def test_openrouter_gets_breakpoints_for_claude_and_only_for_claude():
    conversation = [user(1, "Go."), assistant(2, call("c1"), **GPT), result(3, "c1", "a")]
    marks = Marks(last_tool=True, system_block=1, messages=(0, 2))
    system = (Block("core", "A"), Block("rules", "B"))
    given = {"dialect": OPENROUTER, "marks": marks, "system": system}
    head, asked, _, got = chat(*conversation, model=CLAUDE_THERE, **given)["messages"]
    assert head["content"] == [
        {"type": "text", "text": "A"},
        {"type": "text", "text": "B", "cache_control": MARK},
    ]
    assert asked["content"] == [{"type": "text", "text": "Go.", "cache_control": MARK}]
    assert got["content"] == [{"type": "text", "text": "a", "cache_control": MARK}]
    assert b"cache_control" not in encode(chat(*conversation, model="openai/gpt-6.1-sol", **given))


# --- dialects of Chat Completions -----------------------------------------------------------------


def row(name, *messages, model, **fields):
    return chat(*messages, dialect=find_spec(name).dialect, provider=name, model=model, **fields)


def test_zai_is_told_to_keep_thinking_and_gets_it_back():
    thought = Reasoning(text="Hm.")
    said = assistant(2, thought, call("c1"), provider="ZAI", model="glm-5.3")
    body = row("ZAI", user(1, "Go."), said, result(3, "c1", "a"), model="glm-5.3", max_output_tokens=200_000)
    assert body["thinking"] == {"type": "enabled", "clear_thinking": False}
    assert body["tool_stream"] is True
    assert body["max_tokens"] == 131_072
    assert body["messages"][2]["reasoning_content"] == "Hm."
    assert "max_completion_tokens" not in body


@pytest.mark.parametrize(("asked", "sent"), [(0, 131_072), (64, 32_768), (50_000, 50_000), (10**6, 131_072)])
def test_moonshot_always_gets_a_limit_that_leaves_room_for_thinking(asked, sent):
    body = openai_chat_body.render(
        request(model="kimi-k3.1-pro", max_output_tokens=asked),
        provider="MOONSHOT",
        dialect=find_spec("MOONSHOT").dialect,
        max_output_tokens=131_072,
    )
    assert body["max_completion_tokens"] == sent
    assert not {"temperature", "tool_choice", "thinking", "extra_body"} & body.keys()


def test_moonshot_gets_reasoning_with_every_call_be_it_empty():
    foreign = assistant(2, Reasoning(text="Foreign."), call("c1"), **GPT)
    body = row("MOONSHOT", user(1, "Go."), foreign, result(3, "c1", "a"), model="kimi-k2.6")
    assert body["messages"][2]["reasoning_content"] == ""
    assert body["thinking"] == {"type": "enabled", "keep": "all"}


def test_copilot_is_told_no_limit_and_gets_its_opaque_reasoning_back():
    thought = Reasoning(text="Hm.", opaque={"reasoning_opaque": "0paque"})
    said = assistant(2, thought, Text("Yes."), provider="COPILOT", model="gemini-3.8-pro")
    body = row("COPILOT", user(1, "Go."), said, user(3, "On."), model="gemini-3.8-pro", max_output_tokens=9)
    assert not {"max_tokens", "max_completion_tokens"} & body.keys()
    assert body["messages"][2]["reasoning_opaque"] == "0paque"
    assert body["messages"][2]["reasoning_text"] == "Hm."


def test_a_signature_of_google_on_a_call_goes_back_to_the_model_that_made_it():
    extra = {"extra_content": {"google": {"thought_signature": "s"}}}
    signed = ToolCall(id="c1", name="read", extra=extra)
    said = assistant(2, signed, provider="MY_GOOGLE", model="gemini-3.8-flash")
    messages = (user(1, "Go."), said, result(3, "c1", "a"))
    own = chat(*messages, provider="MY_GOOGLE", model="gemini-3.8-flash")["messages"][2]
    other = chat(*messages, provider="OPENAI", model="gpt-6.1-sol")["messages"][2]
    assert own["tool_calls"][0]["extra_content"] == extra["extra_content"]
    assert "extra_content" not in other["tool_calls"][0]
