"""Arguments are taken as they were meant where that is certain, and refused in one line elsewhere."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from chatcli.tools import InvalidArguments, ToolContext, tool


class Edit(Struct, frozen=True):
    old: str
    new: str
    all: bool = False


class Item(Struct, frozen=True):
    text: str
    state: str = "pending"


@tool("sample")
async def sample(
    ctx: ToolContext,
    file: str,
    start: Annotated[int | None, "first line"] = None,
    ratio: float = 0.5,
    deep: bool = False,
    kind: Literal["lines", "files"] = "lines",
    names: list[str] | None = None,
    extra: dict[str, Any] | None = None,
) -> str:
    """Sample."""
    return file


@tool("edit")
async def edit(ctx: ToolContext, edits: list[Edit], file: str = "") -> str:
    """Edit."""
    return file


@tool("todo")
async def todo(ctx: ToolContext, items: list[Item] | None = None) -> str:
    """Todo."""
    return ""


DEFAULTS: dict[str, Any] = {
    "start": None,
    "ratio": 0.5,
    "deep": False,
    "kind": "lines",
    "names": None,
    "extra": None,
}


@pytest.mark.parametrize(
    ("given_", "meant"),
    [
        ({"start": 3}, {"start": 3}),
        ({"start": "3"}, {"start": 3}),
        ({"start": 3.0}, {"start": 3}),
        ({"start": "3.0"}, {"start": 3}),
        ({"start": " 3 "}, {"start": 3}),
        ({"start": None}, {}),
        ({"start": ""}, {}),
        ({"start": "null"}, {}),
        ({"ratio": "0.25"}, {"ratio": 0.25}),
        ({"ratio": 1}, {"ratio": 1.0}),
        ({"ratio": None}, {}),
        ({"deep": "true"}, {"deep": True}),
        ({"deep": "False"}, {"deep": False}),
        ({"kind": "FILES"}, {"kind": "files"}),
        ({"names": ["a", "b"]}, {"names": ["a", "b"]}),
        ({"names": "a"}, {"names": ["a"]}),
        ({"names": '["a", "b"]'}, {"names": ["a", "b"]}),
        ({"names": [1]}, {"names": ["1"]}),
        ({"extra": '{"a": 1}'}, {"extra": {"a": 1}}),
        ({"Start": 3}, {"start": 3}),
    ],
)
def test_what_was_meant_is_taken(given_: dict[str, Any], meant: dict[str, Any]) -> None:
    assert sample.validate({"file": "a", **given_}) == {"file": "a", **DEFAULTS, **meant}


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        ({}, "sample: 'file' is missing; it must be a string."),
        ({"file": None}, "sample: 'file' is missing; it must be a string."),
        ({"file": ["a"]}, "sample: 'file' must be a string, not [\"a\"]"),
        ({"file": True}, "sample: 'file' must be a string, not true"),
        ({"file": "a", "start": "three"}, "sample: 'start' must be an integer, not \"three\""),
        ({"file": "a", "start": 2.5}, "sample: 'start' must be an integer, not 2.5"),
        ({"file": "a", "start": True}, "sample: 'start' must be an integer, not true"),
        ({"file": "a", "ratio": "inf"}, "sample: 'ratio' must be a number, not \"inf\""),
        ({"file": "a", "deep": 1}, "sample: 'deep' must be true or false, not 1"),
        ({"file": "a", "kind": "all"}, "sample: 'kind' must be one of lines, files, not \"all\""),
        ({"file": "a", "names": [{}]}, "sample: 'names[0]' must be a string, not {}"),
        (
            {"file": "a", "hue": 1},
            "sample: unknown parameter 'hue'; it takes file, start?, ratio?, deep?, kind?, names?, extra?.",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused_in_one_line(given_: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidArguments) as caught:
        sample.validate(given_)
    assert str(caught.value) == said


def test_a_long_wrong_value_is_shown_in_part() -> None:
    with pytest.raises(InvalidArguments) as caught:
        sample.validate({"file": "a", "start": "x" * 10_000})
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("name", ["path", "file_path", "filePath", "filepath", "File", "file-path"])
def test_other_names_for_a_file_are_understood(name: str) -> None:
    assert sample.validate({name: "a"})["file"] == "a"


def test_an_alias_counts_only_while_the_canonical_name_is_absent() -> None:
    with pytest.raises(InvalidArguments, match="unknown parameter 'path'"):
        sample.validate({"file": "a", "path": "b"})


@pytest.mark.parametrize(
    "edits",
    [
        [{"old": "a", "new": "b"}],
        {"old": "a", "new": "b"},
        '[{"old": "a", "new": "b"}]',
        '{"old": "a", "new": "b"}',
        ['{"old": "a", "new": "b"}'],
        [{"old_string": "a", "new_string": "b"}],
    ],
)
def test_one_edit_is_understood_in_every_form_that_models_write(edits: Any) -> None:
    assert edit.validate({"file": "f", "edits": edits}) == {"file": "f", "edits": [Edit("a", "b")]}


def test_the_fields_of_one_edit_may_be_written_flat() -> None:
    flat = {"file_path": "f", "old_string": "a", "new_string": "b", "replace_all": True}
    assert edit.validate(flat) == {"file": "f", "edits": [Edit("a", "b", True)]}


def test_a_wrong_field_of_an_edit_is_named_with_its_place() -> None:
    with pytest.raises(InvalidArguments) as caught:
        edit.validate({"file": "f", "edits": [{"old": "a", "new": "b"}, {"old": "a"}]})
    assert str(caught.value) == "edit: 'edits[1].new' is missing; it must be a string."


def test_a_list_of_words_is_taken_for_objects_with_one_needed_field() -> None:
    assert todo.validate({"items": ["a", {"text": "b", "state": "done"}]}) == {
        "items": [Item("a"), Item("b", "done")]
    }


def test_text_that_looks_like_json_stays_text_where_text_is_wanted() -> None:
    assert sample.validate({"file": '["a"]'})["file"] == '["a"]'
    assert edit.validate({"edits": [{"old": "{}", "new": "null"}]})["edits"] == [Edit("{}", "null")]


parameter_names = st.sampled_from(["file", "start", "ratio", "deep", "kind", "names", "x"])
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.dictionaries(st.sampled_from(["file", "start", "ratio", "deep", "kind", "names", "x"]), json_values)
)
def test_any_arguments_are_either_valid_or_refused(arguments: dict[str, Any]) -> None:
    try:
        values = sample.validate(arguments)
    except InvalidArguments as refusal:
        lines_of_refusal = str(refusal).split("\n")
        assert len(lines_of_refusal) == 1
        return
    assert isinstance(values["file"], str)
    assert values["start"] is None or type(values["start"]) is int
    assert math.isfinite(values["ratio"])
    assert type(values["deep"]) is bool
    assert values["names"] is None or all(isinstance(name, str) for name in values["names"])


@pytest.mark.parametrize("number", [10**400, -(10**400), 1 << 63, "9" * 400, "1e400", math.inf, math.nan])
def test_a_number_that_counts_nothing_is_refused(number: object) -> None:
    with pytest.raises(InvalidArguments):
        sample.validate({"file": "a", "start": number})


@pytest.mark.parametrize("number", [1e19, -1e300, 1 << 70, "2.5e25"])
def test_a_number_that_measures_may_be_large(number: object) -> None:
    assert sample.validate({"file": "a", "ratio": number})["ratio"] == float(number)  # type: ignore[arg-type]
