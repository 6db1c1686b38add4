from __future__ import annotations

import pytest

from chatcli.context.content_type import content_type, looks_like_json


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ('{"a": 1}', "JSON"),
        ("  \n[1, 2]", "JSON"),
        ("package main\n\nfunc main() {}", "Go source"),
        ("// Copyright\n\npackage main\n", "Go source"),
        ("import os\n\ndef main():\n    pass\n", "Python source"),
        ("'use strict';\nfunction main() {}\n", "JavaScript source"),
        ("diff --git a/x b/x\n", "diff"),
        ("--- a/x\n+++ b/x\n", "diff"),
        ("commit 4f2a\nAuthor: A\n", "git log"),
        ("nothing of that", "text"),
        ("", "text"),
        ("the package is here, def. a function", "text"),
        ("x" * 200 + "\npackage main\n", "text"),
        ("packages:\n", "text"),
        ("different things", "text"),
        ("----------\nresult\n", "text"),
        ("commits: 3\n", "text"),
        ("diff --git a/x b/x\n package main\n", "diff"),
        ("[lines 1-80 of 300]\npackage main\n", "Go source"),
        ("[lines 1-80 of 300]\n1\tpackage main\n2\t\n", "Go source"),
        ("[lines 1-80 of 300; latin-1]\nplain words\n", "text"),
        ("[characters 0-90 of 900]\n[1, 2, 3]", "JSON"),
        ('1\t{\n2\t  "a": 1\n', "JSON"),
        ("[lines 1-80 of 300]\n", "JSON"),
        ("[true, false]\n[true, true]\n", "JSON"),
        ("[1, 2]\nplain words\n", "JSON"),
    ],
)
def test_the_type_is_told_from_the_start(text: str, type_: str) -> None:
    assert content_type(text) == type_


@pytest.mark.parametrize("text", ['{"a": 1}', "[1, 2]\n", '[\n  {"a": 1}\n]', "{}", "[true]", "[[1]]"])
def test_json_is_recognised(text: str) -> None:
    assert looks_like_json(text, text)


@pytest.mark.parametrize(
    "text", ["[INFO] started {x}", "{% block %}{% end %}", '{"a": 1} trailing', "text", ""]
)
def test_what_only_begins_like_json_is_not(text: str) -> None:
    assert not looks_like_json(text, text)
