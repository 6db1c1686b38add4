"""Tools without tools: a service that takes none is told of them in words, and calls in words.

A request is one of these when it offers no tool and explains how a call is written. Its calls and
results are found in its texts, every call must have its result, and the replies of the script are
said in words too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from msgspec import structs

from tests.wire.refuse import require
from tests.wire.script import Call, Part, Reply
from tests.wire.seen import Asked, Result, Seen, canonical
from tests.wire.wires import arguments_json

_EXPLAINED = "<tool_call name="
_CALL = re.compile(r"""^<tool_call name="@([\w-]+)" args='([^']*)' />$""", re.MULTILINE)
_RESULT = re.compile(
    r"""^<tool_result-(\w*) call="(\d+)" name="@([\w-]+)"( error="true")?>\n(.*?)\n</tool_result-\1>""",
    re.MULTILINE | re.DOTALL,
)


def is_in_text(seen: Seen) -> bool:
    return not seen.tools and _EXPLAINED in canonical(seen.body).decode()


def read_in_text(seen: Seen) -> Seen:
    """The same request with the calls and results of its texts. Raises `Rejected` for a broken pair."""
    by_turn = [_CALL.findall(text) for text in seen.assistant_texts]
    calls = [call for turn in by_turn for call in turn]
    found = [match for text in seen.user_texts for match in _RESULT.findall(text)]
    require(len({tag for tag, *_rest in found}) <= 1, "text_tag", "results have different tags")
    numbers = [str(number) for turn in by_turn for number in range(1, len(turn) + 1)]
    asked = [(number, name) for number, (name, _arguments) in zip(numbers, calls, strict=True)]
    answered = [(number, name) for _tag, number, name, _error, _text in found]
    require(asked == answered, "text_pairing", f"calls {asked} have the results {answered}")
    results = tuple(
        Result(call_id=f"{i}", name=name, text=text, is_error=bool(error))
        for i, (_tag, _number, name, error, text) in enumerate(found)
    )
    newest = len(by_turn[-1]) if by_turn else 0
    return structs.replace(
        seen,
        calls=tuple(Asked(name=name, arguments=json.loads(arguments)) for name, arguments in calls),
        results=results,
        new_results=results[len(results) - newest :],
    )


def say_in_text(reply: Reply) -> Reply:
    """The calls of a reply as the model writes them, cut where its limit cuts them."""
    parts: list[Part] = []
    for part in reply.parts:
        if isinstance(part, Call):
            parts += _pieces(_written(part, cut=reply.stop == "max_tokens" and part is reply.parts[-1]))
        else:
            parts.append(part)
    return structs.replace(reply, parts=tuple(parts))


def _written(call: Call, *, cut: bool) -> str:
    arguments = arguments_json(call).replace("'", "\\u0027")
    return f'\n<tool_call name="@{call.name}" args=\'{arguments}' + ("" if cut else "' />")


def _pieces(text: str) -> Sequence[str]:
    """As tokens come: a few characters each."""
    return [text[i : i + 5] for i in range(0, len(text), 5)]
