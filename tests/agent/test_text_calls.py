"""Calls that a model writes as text: what is one, what is none, and at what cost that is found out."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatcli.agent.text_protocol.arguments import arguments_json
from chatcli.agent.text_protocol.loose_json import loose_object
from chatcli.agent.text_protocol.reading import CallReader
from chatcli.agent.text_protocol.rendering import canonical
from chatcli.agent.text_protocol.spellings import Draft
from chatcli.events import Reply, TextDelta, ToolCallDelta
from chatcli.messages import Text, ToolCall, ToolSchema, Usage


def schema(name: str, *required: str) -> ToolSchema:
    properties = {key: {"type": "string"} for key in required} | {"start": {"type": "integer"}}
    return ToolSchema(
        name=name,
        description="",
        parameters={"type": "object", "properties": properties, "required": list(required)},
    )


TOOLS = (
    schema("exec", "command"),
    schema("read", "file"),
    schema("tree"),
    schema("write", "file", "content"),
)


def read(text: str, stop: str = "end", pieces: Sequence[int] = ()) -> tuple[Reply, str]:
    """The reply that a text makes, and what of it was told as words; cut after so many characters each."""
    reader = CallReader(TOOLS, 7)
    told = []
    cuts = [0, *sorted(pieces), len(text)]
    for start, end in pairwise(cuts):
        told += reader.feed(text[start:end])
    told += reader.finish(stop)
    words = "".join(event.text for event in told if isinstance(event, TextDelta))
    return reader.reply((), stop, Usage(), "m"), words


def calls_of(text: str, stop: str = "end") -> list[tuple[str, object]]:
    reply, _words = read(text, stop)
    calls = [part for part in reply.parts if isinstance(part, ToolCall)]
    return [(call.name, msgspec.json.decode(call.arguments_json)) for call in calls]


A = ("read", {"file": "a.py"})
SPELLINGS = {
    "as it should be": """<tool_call name="@read" args='{"file": "a.py"}' />""",
    "paired": """<tool_call name="@read" args='{"file": "a.py"}'></tool_call>""",
    "other order": """<tool_call args='{"file": "a.py"}' name="@read"/>""",
    "tool, without @": """<tool name='read' args='{"file": "a.py"}'/>""",
    "upper case": """<TOOL_CALL NAME="@read" ARGS='{"file": "a.py"}' />""",
    "no quotes": """<tool_call name=@read args={"file":"a.py"}/>""",
    "a word": """<tool_call name=read args=a.py/>""",
    "double quotes inside double quotes": """<tool_call name="@read" args="{"file": "a.py"}" />""",
    "escaped quotes": r"""<tool_call name="@read" args="{\"file\": \"a.py\"}" />""",
    "entities": """<tool_call name="@read" args="{&quot;file&quot;: &quot;a.py&quot;}" />""",
    "single quotes inside": """<tool_call name="@read" args="{'file': 'a.py'}" />""",
    "names without quotes, a last comma": """<tool_call name="@read" args='{file: "a.py",}' />""",
    "between the tags": """<tool_call name="@read">\n{"file": "a.py"}\n</tool_call>""",
    "all between the tags": """<tool_call>{"name": "read", "arguments": {"file": "a.py"}}</tool_call>""",
    "plain text between the tags": """<tool_call name="@read">a.py</tool_call>""",
    "attributes": """<tool_call name="@read" file="a.py" />""",
    "the one argument": """<tool_call name="@read" args="a.py" />""",
    "a quote that never closes": """<tool_call name="@read" args="a.py />""",
    "a tag that never closes": """<tool_call name="@read" args='{"file": "a.py"}'""",
    "a quote forgotten behind the object": """<tool_call name="@read" args='{"file": "a.py"} />""",
    "JSON alone": """{"tool_call": "@read", "args": {"file": "a.py"}}""",
    "JSON alone, tool": """{\n  "tool": "read",\n  "arguments": {"file": "a.py"}\n}""",
    "brackets": """[tool: @read {"file": "a.py"}]""",
    "brackets that never close": """[tool_call: read {"file": "a.py"}""",
    "brackets with the one argument": """[tool_call: read a.py]""",
}


@pytest.mark.parametrize("text", SPELLINGS.values(), ids=SPELLINGS.keys())
def test_a_spelling_is_understood_and_never_told_as_words(text):
    reply, words = read(f"I look.\n\n{text}\n")
    assert calls_of(f"I look.\n\n{text}\n") == [A]
    assert words == "I look."
    assert reply.parts[0] == Text("I look.")
    assert (reply.stop_reason, reply.unreadable_call) == ("tool_calls", False)


@pytest.mark.parametrize("key", ["args", "arguments", "parameters", "input"])
def test_arguments_have_the_same_names_in_a_tag_and_in_an_object(key):
    assert calls_of(f"""<tool_call name="@read" {key}='{{"file": "a.py"}}' />""") == [A]
    for name in ("tool_call", "tool", "name"):
        assert calls_of(f"""{{"{name}": "@read", "{key}": {{"file": "a.py"}}}}""") == [A]


@pytest.mark.parametrize("text", SPELLINGS.values(), ids=SPELLINGS.keys())
@given(data=st.data())
def test_how_the_text_is_cut_into_pieces_makes_no_difference(text, data):
    whole = f"Well, {text}\n<tool_call name='@tree'/> done"
    cuts = data.draw(st.lists(st.integers(0, len(whole))))
    assert read(whole, pieces=cuts) == read(whole)


NO_CALLS = {
    "a fence": "Write it so:\n```xml\n<tool_call name=\"@read\" args='{}' />\n```\nand no other way.",
    "a fence that never ends": "So:\n~~~\n<tool_call name=\"@read\" args='{}' />\nand so on\n",
    "a block in a list": "- ```xml\n  <tool_call name='read' />\n  ```\nends here",
    "a block in a numbered list": "1. ```\n   <tool_call name='read' />\n   ```\nends here",
    "a block in a quotation": "> ```\n> <tool_call name='read' />\n> ```\nends here",
    "a block behind words": "Example: ```xml\n<tool_call name='read' />\n```\nends here",
    "a block in which a line begins like its end": "```\n```xml\n<tool_call name='read' />\n```\nends here",
    "a quotation": "> <tool_call name='read' />\nends here",
    "code in a line": "`<tool_call name=\"@read\" args='{}' />` or ``[tool: @tree]`` calls a tool.",
    "a tag for code": "<pre>\n<tool_call name='read' />\n</pre>\nends here",
    "a tag for code behind words": "So: <pre class='x'>\n\n<tool_call name='read' />\n</pre>\nends here",
    "a tag for code that never ends": "<PRE><code>\n<tool_call name='read' />\nand so on",
    "a tag for code in a line": "Write <code><tool_call name='read' /></code>, and no more.",
    "a comment": "<!-- `so:\n<tool_call name='read' />\n-->ends here",
    "an empty comment, and a declaration": "<!--><!DOCTYPE html> <!> <!- <",
    "how calls are written": 'The syntax is <tool_call name="@read" ...> as you know.',
    "how calls are written, to the end": 'The syntax is <tool_call name="@read" … />',
    "a thought": "<think>I could <tool_call name=\"@read\" args='{}' /></think>No need.",
    "other tags": "<tool_caller name='x'/> <toolbox> <tools name='read'/>",
    "a tag without a name": "<tool_call /> and <tool args='{}'/>",
    "a thing named tool": "<tool name='hammer' price='3' />",
    "data": '{"name": "read", "arguments": {}, "downloads": 3}',
    "JSON of an unknown name": '{"name": "numpy"}',
    "JSON in a sentence": 'It answers {"tool": "read"} then.',
    "brackets in a sentence": "See [tool: read a.py].",
    "no colon": "[tool read a.py]",
    "less than": "a <tool and b > c",
}


@pytest.mark.parametrize(
    "before",
    [
        "<code>a</code> and ",
        "The <pre> tag is old.\n",
        "<!-- a -->",
        "<!DOCTYPE html>\n",
        "<PRE>\na`\n</Pre>",
        "So:\n\n    ",
    ],
)
def test_what_stands_behind_such_a_tag_is_a_call_again(before):
    reply, words = read(before + "<tool_call name=\"@read\" args='{}' />")
    assert [part.name for part in reply.parts if isinstance(part, ToolCall)] == ["read"]
    assert words == before.rstrip()


def test_a_tag_for_code_with_nothing_but_a_call_in_the_end_was_meant():
    reply, _words = read("<pre>\n<tool_call name=\"@read\" args='{}' />\n</pre>\n")
    assert reply.unreadable_call


@pytest.mark.parametrize("text", NO_CALLS.values(), ids=NO_CALLS.keys())
def test_what_is_no_call_stays_what_it_is(text):
    reply, words = read(text)
    assert reply.parts == (Text(text.rstrip()),)
    assert words == text.rstrip()
    assert (reply.stop_reason, reply.unreadable_call) == ("end", False)


def test_any_text_may_stand_in_the_arguments():
    content = """a 'b' "c" \\ <tool_call name="@x"/> </tool_call> ``` {[}] > é \n\t"""
    made = ToolCall(id="", name="write", arguments_json=msgspec.json.encode({"content": content}).decode())
    assert calls_of(canonical(made)) == [("write", {"content": content})]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-999, 999) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), json_values), st.lists(st.integers(0, 300)))
def test_a_call_that_is_written_back_is_read_the_same(arguments, cuts):
    made = ToolCall(id="", name="write", arguments_json=msgspec.json.encode(arguments).decode())
    assert calls_of(canonical(made)) == [("write", arguments)]
    text = canonical(made)
    assert read(text, pieces=[cut for cut in cuts if cut <= len(text)]) == read(text)


def test_what_a_model_makes_up_behind_its_call_is_neither_told_nor_kept():
    made_up = '\n<tool_result-1234 call="1">\nx = 1\n</tool_result-1234>\nSo x is 1.'
    reply, words = read("I look.\n" + SPELLINGS["as it should be"] + made_up)
    assert words == "I look."
    assert [part.text for part in reply.parts if isinstance(part, Text)] == ["I look."]


def test_a_reader_says_when_nothing_more_is_of_use():
    reader = CallReader(TOOLS, 7)
    list(reader.feed(SPELLINGS["as it should be"] + "\n<tool_result"))
    assert not reader.made_up
    list(reader.feed("-1234 call"))
    assert reader.made_up
    long = CallReader(TOOLS, 7)
    list(long.feed(SPELLINGS["as it should be"] + "It says. " * 100))
    assert long.made_up


def test_words_between_calls_end_nothing():
    text = SPELLINGS["as it should be"] + "\nAnd then:\n" + SPELLINGS["brackets"] + "\n<tool_call name=tree/>"
    assert calls_of(text) == [A, ("tree", {})]  # behind a tag, brackets are words


UNREADABLE = {
    "quotes inside quotes": """<tool_call name="@read" args='{"file": "say "a" now"}' />""",
    "an end in the middle": """<tool_call name="@read" args='{"file": "a""",
    "no object": """<tool_call name="@write" args="a.py and some text" />""",
    "flags": """<tool_call name="@read" args="--file a.py" />""",
    "a fence that is all": '```\n<tool_call name="@read" args=\'{"file": "a.py"}\' />\n```',
    "no name in it": """<tool_call>{"file": "a.py"}""",
}


@pytest.mark.parametrize("text", UNREADABLE.values(), ids=UNREADABLE.keys())
def test_a_call_that_was_meant_and_cannot_be_read_is_left_as_it_is_and_told(text):
    reply, words = read(f"I look.\n{text}")
    assert reply.unreadable_call
    assert calls_of(text) == []
    assert words == f"I look.\n{text}"
    assert reply.parts == (Text(f"I look.\n{text}"),)


def test_the_limit_of_a_reply_cuts_a_call_and_not_the_ones_before_it():
    text = SPELLINGS["as it should be"] + """\n<tool_call name="@write" args='{"file": "b", "content": "abc"""
    reply, words = read(text, "max_tokens")
    first, second = reply.parts
    assert (first.name, second.name, second.arguments_json) == ("read", "write", "{}")
    assert (reply.stop_reason, reply.cut_call_id, words) == ("max_tokens", second.id, "")
    assert not reply.unreadable_call


@pytest.mark.parametrize(
    "text",
    [
        """<tool_call name="@exec" args="sort a >""",
        """<tool_call name="@exec" args="rm -r build/""",
        """<tool_call name="@exec" args='{"command": "ls"}'""",
        "<tool_call name='@exec'>rm -r build",
        "<tool_call name='@tree'>",
        "<tool_call name='@tree'>\n",
        "<tool_call name='@exec' command='rm -r /'",
        "<tool name=exec args=ls",
        "[tool: exec rm -r build",
        '{"tool_call": "exec", "args": {"command": "rm -r build',
        """<tool_call name="@exec" args='{"command": "ls\\""",
    ],
)
def test_nothing_runs_whose_end_the_limit_may_have_cut(text):
    reply, words = read(f"Well.\n{text}", "max_tokens")
    assert words == "Well."
    assert [(part.name, part.arguments_json) for part in reply.parts[1:]] in (
        [("exec", "{}")],
        [("tree", "{}")],
    )
    assert reply.cut_call_id == reply.parts[1].id


def test_the_arguments_are_told_while_they_come():
    reader = CallReader(TOOLS, 7)
    told = [*reader.feed("""<tool_call name="@write" args='{"content": "ab"""), *reader.feed("c")]
    assert [(event.name, event.arguments) for event in told if isinstance(event, ToolCallDelta)] == [
        ("write", '{"content": "ab'),
        ("write", "c"),
    ]


def test_a_tool_that_there_is_not_is_called_too_and_refused_like_any_other():
    assert calls_of("<tool_call name='@open' args='a.py please' />") == [("open", {})]


def test_ids_are_made_of_the_position():
    reply, _words = read(SPELLINGS["as it should be"] + "<tool_call name=tree/>")
    assert [part.id for part in reply.parts] == ["call_7_1", "call_7_2"]


LOOSE = {
    "{'a': 'b'}": {"a": "b"},
    "{a: True, b: None, c: [1, 2,], }": {"a": True, "b": None, "c": [1, 2]},
    '{"a": "line\nend\t\\n \\d \\" it\'s"}': {"a": "line\nend\t\n \\d \" it's"},
    r"{'a': 'it\'s \"so\" \u00e9'}": {"a": 'it\'s "so" é'},
}


@pytest.mark.parametrize(("text", "value"), LOOSE.items())
def test_loose_json_is_mended(text, value):
    assert loose_object(text) == value


@pytest.mark.parametrize(
    "text", ['{"a": "b" c}', '{"a" 1}', "{a: b}", '{"a": 1', '{"a": 1} {', "[1]", "{" * 90]
)
def test_what_could_mean_two_things_is_not_mended(text):
    assert loose_object(text) is None


@given(st.text(alphabet="{}[]:,'\"\\ab1 \n", max_size=80))
def test_mending_never_breaks_and_leaves_json_alone(text):
    mended = loose_object(text)
    try:
        value = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return
    if isinstance(value, dict):
        assert mended == value


@given(st.text(alphabet="<>/tol_ca={}[]\"'`~\\:@ \nread", max_size=200), st.lists(st.integers(0, 200)))
def test_no_text_breaks_the_reader_and_without_calls_nothing_is_lost(text, cuts):
    cuts = [cut for cut in cuts if cut <= len(text)]
    reply, words = read(text, pieces=cuts)
    assert (reply, words) == read(text)
    if not any(isinstance(part, ToolCall) for part in reply.parts) and not reply.unreadable_call:
        assert words == text.rstrip()


def test_repaired_arguments_are_an_object_for_the_tool_to_check():
    assert arguments_json(Draft(arguments="{'start': '3'}"), TOOLS[1]) == '{"start":"3"}'


ADVERSARIAL = {
    "tags that never close": '<tool_call name="',
    "candidates": "<tool ",
    "objects": '{"name": ',
    "deep": '{"tool_call": {',
    "quotes": """<tool_call name="@read" args='{"a": """,
    "backslashes": """<tool_call name="@read" args="{\\\\""",
    "brackets": "[tool: \n",
    "backticks": "`~`\n~~~\n```\n",
    "calls": """<tool_call name="@tree" />\n""",
    "spaces": "<tool_call name=  ",
    "thoughts": "<think></think",
    "tags for code": "<pre><code></code",
    "comments": "<!--<!-->",
}


@pytest.mark.parametrize("text", ADVERSARIAL.values(), ids=ADVERSARIAL.keys())
def test_the_work_grows_with_the_length_of_the_text_whatever_it_holds(text):
    """Counted in steps of the interpreter, not in seconds."""
    small, large = steps(text, 4_000), steps(text, 16_000)
    assert large < 4.6 * small


def steps(text: str, size_chars: int) -> int:
    count = 0

    def trace(frame, event, _argument):
        nonlocal count
        count += 1
        return trace

    whole = (text * (size_chars // len(text) + 1))[:size_chars]
    reader = CallReader(TOOLS, 7)
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        for start in range(0, len(whole), 10):
            list(reader.feed(whole[start : start + 10]))
        list(reader.finish("end"))
    finally:
        sys.settrace(before)
    return count
