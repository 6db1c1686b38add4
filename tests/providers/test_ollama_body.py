"""What is sent to Ollama."""

from __future__ import annotations

from chatcli.messages import Reasoning, Text
from chatcli.providers.encoding import encode
from chatcli.providers.ollama_body import render
from tests.providers.conversation import assistant, call, request, result, user

HERE = {"provider": "OLLAMA", "model": "gpt-oss:20b"}


def rendered(*messages, **fields):
    return render(request(*messages, model="gpt-oss:20b", **fields), provider="OLLAMA", num_ctx=8192)


def test_the_body_is_these_bytes():
    body = rendered(
        user(1, "Read", "it."),
        assistant(2, Reasoning(text="Hm."), call("call_1_1", '{"file":  "a.py"}'), **HERE),
        result(3, "call_1_1", "two lines"),
        max_output_tokens=500,
    )
    assert encode(body).decode() == (
        '{"model":"gpt-oss:20b","stream":true,"keep_alive":"30m","truncate":false,"shift":false,'
        '"options":{"num_ctx":8192,"num_predict":500},'
        '"tools":[{"type":"function","function":{"name":"read","description":"Read a file.",'
        '"parameters":{"type":"object","properties":{"file":{"type":"string"}},"required":["file"]}}}],'
        '"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Read\\n\\nit."},'
        '{"role":"assistant","content":"","thinking":"Hm.","tool_calls":[{"function":{"name":"read",'
        '"arguments":{"file":  "a.py"}}}]},'
        '{"role":"tool","tool_name":"read","content":"two lines"}]}'
    )


def test_results_come_in_call_order_because_they_carry_no_ids():
    body = rendered(
        user(1, "Go."),
        assistant(2, call("c1"), call("c2"), **HERE),
        user(3, "Hurry."),
        result(4, "c2", "b"),
        result(5, "c1", "a"),
    )
    assert [(m["role"], m["content"]) for m in body["messages"][3:]] == [
        ("tool", "a"),
        ("tool", "b"),
        ("user", "Hurry."),
    ]


def test_thinking_of_another_model_is_left_out():
    said = assistant(2, Reasoning(text="Hm."), Text("Yes."), provider="OLLAMA", model="qwen3:8b")
    assert rendered(user(1, "Go."), said, user(3, "On."))["messages"][2] == {
        "role": "assistant",
        "content": "Yes.",
    }
