"""What the grammar lets a model write is valid, and what is valid can be written."""

from __future__ import annotations

import json
from typing import Any, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatcli.errors import InvalidArguments
from chatcli.messages import ToolSchema
from chatcli.providers.local.examples import EXAMPLES
from chatcli.providers.local.grammar import MOST_CALLS, PROSE, call_beginning, grammar
from chatcli.tools.registry import Registry
from chatcli.tools.schema import without_none
from chatcli.tools.sdk import Tool, tool
from tests.providers.local.gbnf import Gbnf


class Edit(msgspec.Struct, frozen=True):
    old: str
    new: str = ""


@tool("everything")
async def everything(
    ctx: Any,
    text: str,
    kind: Literal["a", 'b"\\', "ç"],
    edits: list[Edit],
    count: int | None = None,
    share: float = 0.5,
    names: list[str] | None = None,
    free: dict[str, Any] | None = None,
    sure: bool = False,
) -> str:
    """All types that a schema can have."""
    return ""


TOOLS: dict[str, Tool] = {**Registry.load(None).tools, "everything": everything}
GRAMMARS = {name: Gbnf(grammar([each.as_schema()])) for name, each in TOOLS.items()}
every_tool = pytest.mark.parametrize("name", TOOLS)

_STRINGS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\x7f"), max_size=12)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | _STRINGS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_STRINGS, inner, max_size=2),
    max_leaves=4,
)


def written(name: str, arguments: Any) -> str:
    return call_beginning(name) + json.dumps(arguments, ensure_ascii=False) + "}"


_SIMPLE = {
    "string": _STRINGS,
    "integer": st.integers(-(10**14), 10**14),
    "number": st.integers(-(10**6), 10**6).map(lambda n: n / 8),
    "boolean": st.booleans(),
}


def values(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values that fit a schema, as our own tools write them."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    match schema.get("type"):
        case "array":
            return st.lists(values(schema.get("items", {})), max_size=3)
        case "object" if "properties" in schema:
            return objects(schema)
        case "object":
            return st.dictionaries(_STRINGS, _JSON, max_size=2)
        case type_:
            return _SIMPLE.get(type_, _JSON)


@st.composite
def objects(draw: st.DrawFn, schema: dict[str, Any]) -> dict[str, Any]:
    """Required members first, then the others in the order of the schema: as the grammar has it."""
    required = schema.get("required", ())
    names = [name for name in schema["properties"] if name in required]
    names += [name for name in schema["properties"] if name not in required and draw(st.booleans())]
    return {name: draw(values(schema["properties"][name])) for name in names}


@every_tool
@given(data=st.data())
def test_what_is_valid_can_be_written(name, data):
    arguments = data.draw(objects(TOOLS[name].schema) if TOOLS[name].schema["properties"] else st.just({}))
    assert GRAMMARS[name].accepts(written(name, arguments))


@every_tool
@given(data=st.data())
def test_what_can_be_written_is_valid(name, data):
    """Whatever the model does, its calls pass the validation of the tool as they are."""
    made = GRAMMARS[name].make(lambda most: data.draw(st.integers(0, most)), "call")
    call = json.loads(made)
    assert call["tool"] == name
    validated = TOOLS[name].validate(call["arguments"])
    for parameter in TOOLS[name].parameters:
        if parameter.name in call["arguments"] and without_none(parameter.type) in (int, str, bool):
            assert validated[parameter.name] == call["arguments"][parameter.name]


@every_tool
@given(data=st.data())
def test_what_is_not_valid_cannot_be_written(name, data):
    schema = TOOLS[name].schema
    members = st.sampled_from([*schema["properties"], "unknown"])
    arguments = data.draw(st.dictionaries(members, _JSON, max_size=3))
    if GRAMMARS[name].accepts(written(name, arguments)):
        TOOLS[name].validate(arguments)
    else:
        assert not _fits(schema, arguments)


def _fits(schema: dict[str, Any], arguments: dict[str, Any]) -> bool:
    """By the letter of the schema, in the order in which the grammar has the members."""
    order = sorted(schema["properties"], key=lambda name: name not in schema.get("required", ()))
    if list(arguments) != [name for name in order if name in arguments]:
        return False
    if set(schema.get("required", ())) - set(arguments):
        return False
    types = {"string": str, "integer": int, "boolean": bool, "number": int | float, "array": list}
    for name, value in arguments.items():
        member = schema["properties"][name]
        wanted = types.get(member.get("type", ""), object)
        if not isinstance(value, wanted) or (isinstance(value, bool) and wanted is int):
            return False
        if "enum" in member and value not in member["enum"]:
            return False
        if isinstance(value, list | dict):
            return False  # judged by what the tool itself says
    return True


def test_a_reply_is_prose_or_calls():
    both = Gbnf(grammar([TOOLS["read"].as_schema(), TOOLS["tree"].as_schema()]))
    read, tree = written("read", {"file": "a.py"}), written("tree", {})
    assert both.accepts("Hello.\n{not a call}")
    assert both.accepts(read)
    assert both.accepts(f"{read}\n{tree}")
    assert not both.accepts(f"{read}\n{tree}\n")
    assert not both.accepts(f"{read}\nDone.")
    assert not both.accepts("{hello")
    assert not both.accepts(written("write", {"file": "a", "content": ""}))
    assert not both.accepts("\n".join([tree] * (MOST_CALLS + 1)))


def test_whoever_must_look_first_cannot_answer():
    must = Gbnf(grammar([TOOLS["tree"].as_schema()], must_call=True))
    assert must.accepts(written("tree", {"path": "."}))
    assert not must.accepts("Hello.")


def test_prose_calls_nothing():
    assert Gbnf(PROSE).accepts("Olá! {x}")
    assert not Gbnf(PROSE).accepts(written("tree", {}))


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, (1, None), ("1", True)),
        ({"type": ["string", "null"]}, ("x", None), (1, [])),
        ({"const": "yes"}, ("yes",), ("no",)),
        ({"enum": [1, "one", None]}, (1, "one", None), (2,)),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, ({}, {"a": 1}), ({"a": "b"},)),
        ({"$ref": "#/unknown"}, (1, [{"a": [True]}], "x"), ()),
        ({"type": "array"}, ([], [1, "a"]), ({},)),
    ],
)
def test_schemas_that_others_write(schema, good, bad):
    """Of programs and servers: what is not understood is any JSON."""
    parameters = {"type": "object", "properties": {"x": schema}, "required": ["x"]}
    read = Gbnf(grammar([ToolSchema(name="t", description="", parameters=parameters)]))
    assert all(read.accepts(written("t", {"x": value})) for value in good)
    assert not any(read.accepts(written("t", {"x": value})) for value in bad)


def test_the_examples_are_calls_that_can_be_written():
    for example in EXAMPLES:
        assert GRAMMARS[example.tool].accepts(written(example.tool, example.arguments))
        TOOLS[example.tool].validate(example.arguments)


def test_a_tool_that_lacks_what_it_needs_is_refused_by_its_own_validation():
    """The other side of the comparison is awake."""
    with pytest.raises(InvalidArguments):
        TOOLS["read"].validate({})
