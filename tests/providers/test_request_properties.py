"""Promises about every request of every wire, over conversations that nobody would think of.

The rules of the services are those of the strict scripted server, which knows nothing of the adapters.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import msgspec
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from msgspec import structs

from chatcli.agent.text_protocol.rendering import as_text
from chatcli.messages import AssistantMessage, Message, Reasoning, Text, ToolCall, ToolResult, UserMessage
from chatcli.providers import (
    anthropic_body,
    converse_body,
    gemini_body,
    ollama_body,
    openai_chat_body,
    openai_responses_body,
    stackspot_body,
)
from chatcli.providers.encoding import encode
from chatcli.providers.specs import find_spec
from tests.providers.conversation import NOTHING, request
from tests.wire import anthropic_rules, chat_rules, converse_rules, gemini_rules, responses_rules

MODEL = "claude-sonnet-5-5"
GEMINI = "gemini-3.8-flash"
SOURCES = [
    ("CLAUDEAI", MODEL),
    ("OPENAI", MODEL),
    ("OPENROUTER", MODEL),
    ("OLLAMA", "qwen3:8b"),
    ("BEDROCK", MODEL),
    ("MOONSHOT", MODEL),
    ("GOOGLEAI", GEMINI),
]
NATIVE = ("anthropic", "responses", "chat", "moonshot", "ollama", "gemini", "converse")
WIRES = (*NATIVE, *(f"{wire} in text" for wire in NATIVE), "stackspot in text")
"""With native tools, and with tools in text."""
CLOSING = {"anthropic": b"]}]}", "converse": b"]}]}", "stackspot": b'"}'}
"""What closes a body behind its last block; elsewhere it is `]}`."""

texts = st.text(st.characters(codec=None), max_size=12) | st.sampled_from(["", " ", "\n", "Go."])
arguments = st.sampled_from(
    ['{"file":  "é.py"}', "{}", "", '{"a": 1.0, "a": 1e3}', '{"file', "[1]", "\ud83d"]
)
ids = st.sampled_from(["call_0", "call_1", "functions.read:0", "x" * 80, "toolu_01"])
names = st.sampled_from(["read", "@read", "functions.read", "", "lê", "x" * 80])
reasoning = st.sampled_from(
    [
        Reasoning(text="Hm.", opaque={"type": "thinking", "signature": "s"}),
        Reasoning(opaque={"type": "redacted_thinking", "data": "d"}),
        Reasoning(opaque={"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "e"}),
        Reasoning(opaque={"reasoning_details": [{"type": "reasoning.text", "text": "t", "index": 0}]}),
        Reasoning(text="Hm.", opaque={"thoughtSignature": "s"}),
        Reasoning(opaque={"thoughtSignature": "s", "signs_text": True}),
        Reasoning(text="Hm.", opaque={"signature": "s"}),
        Reasoning(text="Hm."),
    ]
)


@st.composite
def conversations(draw):
    """A view: well paired, else anything that cancels, switches of model and resumes leave behind."""
    messages = [UserMessage(seq=1, parts=(Text("Go."),))]
    for _ in range(draw(st.integers(0, 4))):
        calls = [
            ToolCall(id=call_id, name=draw(names), arguments_json=draw(arguments))
            for call_id in draw(st.lists(ids, unique=True, max_size=3))
        ]
        said = draw(st.lists(reasoning | st.builds(Text, texts), max_size=3))
        provider, model = draw(st.sampled_from(SOURCES))
        messages.append(AssistantMessage(seq=0, parts=(*said, *calls), provider=provider, model=model))
        results = [
            ToolResult(seq=0, call_id=call.id, name=call.name, text=draw(texts), original=NOTHING)
            for call in calls
        ]
        words = [
            UserMessage(seq=0, parts=(Text(text), Text("!")))
            for text in draw(st.lists(texts, min_size=0 if calls else 1, max_size=2))
        ]
        messages += draw(st.permutations([*results, *words]))
    return [structs.replace(message, seq=seq) for seq, message in enumerate(messages, 1)]


def render(wire, messages):
    wire, _in, text = wire.partition(" in ")
    asked = request(*messages, model=GEMINI if wire == "gemini" else MODEL, fence="5eed5eed")
    if text:
        asked = as_text(asked)
    match wire:
        case "anthropic":
            return anthropic_body.render(asked, provider="CLAUDEAI", max_output_tokens=1000)
        case "responses":
            return openai_responses_body.render(asked, provider="OPENAI")
        case "chat":
            dialect = find_spec("OPENROUTER").dialect
            return openai_chat_body.render(asked, provider="OPENROUTER", dialect=dialect)
        case "moonshot":
            dialect = find_spec("MOONSHOT").dialect
            return openai_chat_body.render(asked, provider="MOONSHOT", dialect=dialect)
        case "gemini":
            return gemini_body.render(asked, provider="GOOGLEAI")
        case "converse":
            return converse_body.render(asked, provider="BEDROCK", ttl="5m")
        case "stackspot":
            return stackspot_body.render(asked)
        case _:
            return ollama_body.render(asked, provider="OLLAMA", num_ctx=8192)


def check(wire, body):
    """Raises what the service would refuse."""
    wire, tools = wire.removesuffix(" in text"), body.get("tools", [])
    match wire:
        case "anthropic":
            anthropic_rules.check_body(body, max_output_tokens=128_000)
            anthropic_rules.check_pairing(body["messages"])
        case "responses":
            responses_rules.check_body(body)
            responses_rules.check_items(body["input"], tools=tools)
            responses_rules.check_reasoning(body["input"], {}, model=MODEL, store=False)
        case "chat":
            chat_rules.check_body(body, openrouter=True)
            chat_rules.check_messages(body["messages"], tools)
        case "moonshot":
            for message in body["messages"]:
                assert "reasoning_content" in message or not message.get("tool_calls")
                message.pop("reasoning_content", None)
            chat_rules.check_messages(body["messages"], tools)
        case "gemini":
            gemini_rules.check_body(body)
            gemini_rules.check_pairing(body["contents"])
            for content in body["contents"]:
                calls = [part for part in content["parts"] if "functionCall" in part]
                assert not calls or calls[0]["thoughtSignature"]
        case "converse":
            converse_rules.check_body(body)
            converse_rules.check_pairing(body["messages"])


@pytest.mark.parametrize("wire", WIRES)
@settings(max_examples=60, deadline=None)
@given(messages=conversations())
def test_no_service_refuses_a_well_paired_conversation(wire, messages):
    check(wire, json.loads(encode(render(wire, messages))))


@pytest.mark.parametrize("wire", WIRES)
@settings(max_examples=60, deadline=None)
@given(messages=conversations())
def test_a_longer_conversation_extends_the_same_bytes(wire, messages):
    """Cut before a reply: what had been sent until then is the beginning of what is sent now."""
    closing = len(CLOSING.get(wire.removesuffix(" in text"), b"]}"))
    whole = encode(render(wire, messages))
    for index, message in enumerate(messages):
        if isinstance(message, AssistantMessage):
            before = encode(render(wire, messages[:index]))
            assert whole.startswith(before[:-closing])


@pytest.mark.parametrize("wire", WIRES)
@settings(max_examples=60, deadline=None)
@given(messages=conversations())
def test_a_resumed_conversation_is_sent_as_the_same_bytes(wire, messages):
    """Through the JSON of a journal and back. Lone surrogates never get into one: replies are cleaned."""
    try:
        stored = msgspec.json.encode(messages)
    except UnicodeEncodeError:
        reject()
    resumed = msgspec.json.decode(stored, type=list[Message])
    assert encode(render(wire, resumed)) == encode(render(wire, messages))


SCRIPT = """
import hashlib
from chatcli.messages import *
from chatcli.providers.encoding import encode
from tests.providers.conversation import assistant, call, result, user
from tests.providers.test_request_properties import WIRES, render

thought = Reasoning(text="Olá", opaque={"type": "thinking", "signature": "s", "z": 1, "a": 2})
said = assistant(2, thought, Text("日本"), call("c1", '{"b": 1, "a": "é"}'), call("c.2"))
messages = [user(1, "Ação"), said, result(3, "c1", "x"), result(4, "c.2", "y"), user(5, "?")]
for wire in WIRES:
    print(hashlib.sha256(encode(render(wire, messages))).hexdigest())
"""


def test_the_bytes_are_the_same_in_another_process_hash_seed_and_locale():
    def digests(seed, locale):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": locale, "PYTHONPATH": "."}
        return subprocess.check_output([sys.executable, "-c", SCRIPT], env=environment, text=True)

    here = digests("1", "C")
    assert len(here.split()) == len(WIRES)
    assert here == digests("2", "pt_BR.UTF-8")
