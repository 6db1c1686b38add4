from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatcli.context.tokens import estimate_message_tokens, estimate_request_tokens, estimate_tokens
from chatcli.messages import Reasoning, Text, ToolSchema
from chatcli.providers.base import Block, Request
from tests.context.builders import Originals, Story
from tests.context.texts import untimed

PROSE = (
    "A terminal agent that never loses a byte and never wastes a token. You type a question, a loop works on "
    "your files with its tools, and everything that the tools return goes through one pipeline before each "
    "request. What was shortened can be opened again, by range, by search, or as a whole.\n"
)
PORTUGUESE = (
    "O orçamento limita o tamanho agregado em três níveis. Se exceder, o conteúdo completo é salvo e "
    "substituído por uma prévia; uma marca informa quantos caracteres faltam e onde estão. Não há perda: o "
    "resultado original continua acessível até o fim da sessão, por intervalo ou por busca.\n"
)
PYTHON = '''\
def safe_before(text: str, position: int) -> int:
    """The last position up to `position` at which nothing is split."""
    while 0 < position < len(text) and (span := _unit_across(text, position)):
        position = span[0]
    return position


def without_ansi(text: str) -> str:
    return _ANSI.sub("", text) if "\\x1b" in text else text
'''
JSON = """\
{
  "session_id": "b7f0c1d2", "turns": 12, "tool_calls": 31, "cost_usd": 0.0413,
  "usage": {"input": 1830, "cache_read": 120344, "cache_write": 18211, "output": 4120, "reasoning": 0},
  "files": [{"path": "src/app.py", "lines": 180}, {"path": "src/main.py", "lines": 22}]
}
"""


@pytest.mark.parametrize(
    ("text", "counted"),
    [(PROSE, 62), (PORTUGUESE, 61), (PYTHON, 93), (JSON, 115)],
    ids=["en", "pt", "py", "json"],
)
def test_an_estimate_is_near_what_the_o200k_vocabulary_counts(text: str, counted: int) -> None:
    assert estimate_tokens(text) == pytest.approx(counted, rel=0.15)


def test_an_estimate_is_linear_in_the_classes_of_characters() -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens("1234567890" * 100) == 1_115
    assert estimate_tokens("ab " * 1_000) == round(1_000 * (2 * 0.141 + 0.318))
    assert estimate_tokens(";" * 1_000) == 606
    assert estimate_tokens("\n" * 1_000) == 795
    assert estimate_tokens("é " * 1_000) == round(1_000 * (0.141 + 0.788 + 0.318))


@untimed
@given(st.text(), st.text())
def test_estimates_add_up(one: str, other: str) -> None:
    both = estimate_tokens(one + "\n" + other)
    assert abs(both - estimate_tokens(one) - estimate_tokens(other) - 0.8) <= 2


@untimed
@given(st.text())
def test_no_text_has_less_than_nothing(text: str) -> None:
    assert estimate_tokens(text) >= 0


def test_lone_surrogates_can_be_estimated() -> None:
    assert estimate_tokens("\ud83d") == 1


def test_a_request_is_the_sum_of_what_is_sent() -> None:
    story = Story(Originals())
    story.user("Where is the fox?")
    story.call("a", text="I look.")
    message = story.call("b")
    tools = (ToolSchema(name="read", description="Read a file.", parameters={"type": "object"}),)
    small = Request(model="m", system=(), tools=(), messages=())
    large = Request(
        model="m", system=(Block("core", "You are an agent."),), tools=tools, messages=tuple(story.messages)
    )
    assert estimate_request_tokens(small) <= 1
    parts = 4 + sum(map(estimate_message_tokens, story.messages))
    assert estimate_request_tokens(large) > parts + estimate_tokens("Read a file.")
    assert estimate_message_tokens(message) < estimate_message_tokens(story.messages[1])


def test_reasoning_counts_with_its_opaque_fields() -> None:
    story = Story(Originals())
    message = story.call()
    thought = type(message)(
        seq=9, parts=(Text("hm"), Reasoning("because", {"signature": "x" * 400})), provider="P", model="m"
    )
    assert estimate_message_tokens(thought) > 50
