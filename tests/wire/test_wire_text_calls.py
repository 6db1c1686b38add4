"""What the strict server makes of tools in text, and what of them it refuses."""

from __future__ import annotations

import json

import httpx
import pytest

from tests.wire.bodies import HEADERS, PATHS
from tests.wire.script import call, reply
from tests.wire.server import serve

EXPLAINED = """Write <tool_call name="@read" args='{"file": "a"}' /> to call a tool."""
CALLS = """I read both.

<tool_call name="@read" args='{"file": "a"}' />
<tool_call name="@tree" args='{}' />"""


def result(number: int, name: str, tag: str = "5eed") -> str:
    return f'<tool_result-{tag} call="{number}" name="@{name}">\ntext of {name}\n</tool_result-{tag}>'


def asked(*results: str) -> dict[str, object]:
    texts = [("system", EXPLAINED), ("user", "Go."), ("assistant", CALLS), ("user", "\n".join(results))]
    messages = [{"role": role, "content": text} for role, text in texts]
    return {"model": "gpt-6.1-sol", "stream": True, "messages": messages}


def post(server, body) -> httpx.Response:
    return httpx.post(server.url + PATHS["chat"], json=body, headers=HEADERS["chat"], trust_env=False)


def test_calls_and_results_are_found_in_the_texts_and_answered_in_words():
    with serve([reply("Again.", call("read", file="it's"))]) as server:
        answer = post(server, asked(result(1, "read"), result(2, "tree")))
        seen = server.exchanges[0].seen
    assert [(made.name, made.arguments) for made in seen.calls] == [("read", {"file": "a"}), ("tree", {})]
    assert [found.text for found in seen.new_results] == ["text of read", "text of tree"]
    chunks = [json.loads(line[6:]) for line in answer.text.splitlines() if line.startswith("data: {")]
    said = "".join(choice["delta"].get("content") or "" for c in chunks for choice in c["choices"])
    assert said == """Again.\n<tool_call name="@read" args='{"file": "it\\u0027s"}' />"""
    assert server.violations == []


@pytest.mark.parametrize(
    ("rule", "results"),
    [
        ("text_pairing", [result(1, "read")]),
        ("text_pairing", [result(1, "tree"), result(2, "read")]),
        ("text_pairing", [result(1, "read"), result(2, "tree"), result(3, "read")]),
        ("text_tag", [result(1, "read"), result(2, "tree", "0ther")]),
    ],
)
def test_a_broken_pair_is_refused(rule, results):
    with serve([reply("Never.")]) as server:
        assert post(server, asked(*results)).status_code == 400
    assert [violation.rule for violation in server.violations] == [rule]
