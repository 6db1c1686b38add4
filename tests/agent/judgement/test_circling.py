"""Going in circles is noticed; batch work, waiting and mending are not."""

from __future__ import annotations

import json

from chatcli.agent.judgement.circling import Circling, error_class
from chatcli.agent.judgement.stagnation import Stagnation
from chatcli.messages import Archived, ToolCall, ToolResult

NOTHING = Archived(sha256="", key="", size_bytes=0, size_chars=0, lines=0)


class Turns:
    """Plays turns to both detectors; a call is `(tool, arguments, status, text)`."""

    def __init__(self, turns: int = 3) -> None:
        self.stagnation = Stagnation(turns)
        self.circling = Circling(turns)

    def play(self, *batch: tuple[str, dict, str, str]) -> str | None:
        calls, results, texts = [], [], []
        for number, (tool, arguments, status, text) in enumerate(batch):
            calls.append(ToolCall(id=f"c{number}", name=tool, arguments_json=json.dumps(arguments)))
            read_only = tool in ("read", "search")
            results.append(made(f"c{number}", tool, status, read_only=read_only))
            texts.append(text)
        if self.stagnation.seen(calls, texts):
            return "stagnation"
        return self.circling.seen(calls, results, texts)


def made(call_id: str, tool: str, status: str, *, read_only: bool = False) -> ToolResult:
    return ToolResult(seq=1, call_id=call_id, name=tool, status=status, original=NOTHING, read_only=read_only)


def read(file: str, text: str = "text") -> tuple:
    return ("read", {"file": file}, "ok", text)


def run(command: str, text: str, status: str = "ok") -> tuple:
    return ("exec", {"command": command}, status, text)


def patch(file: str, status: str = "ok", text: str = "1 replaced") -> tuple:
    return ("patch", {"file": file}, status, text)


def missing(file: str) -> tuple:
    return ("read", {"file": file}, "error", f"{file} does not exist")


def test_two_turns_in_alternation_are_a_cycle():
    turns = Turns()
    assert [turns.play(read(name)) for name in "abab"] == [None, None, None, "cycle"]


def test_three_turns_in_a_circle_are_a_cycle():
    turns = Turns()
    assert [turns.play(read(name)) for name in "abcabc"][-2:] == [None, "cycle"]


def test_a_patient_setting_waits_for_more_rounds():
    turns = Turns(5)
    assert [turns.play(read(name)) for name in "abababab"] == [None] * 7 + ["cycle"]


def test_the_same_error_with_varied_arguments_is_noticed():
    turns = Turns()
    assert [turns.play(missing(f"src/{name}.py")) for name in ("one", "two", "three")][-1] == "errors"


def test_a_read_in_between_does_not_hide_that_a_patch_keeps_failing():
    turns = Turns()
    told = []
    for name in ("one", "two", "three"):
        told.append(turns.play(read(f"{name}.py", name)))
        told.append(turns.play(patch(f"{name}.py", "error", f"'old' is not in {name}.py.")))
    assert told[-1] == "errors"


def test_other_errors_are_not_one_error():
    turns = Turns()
    complaints = ["no such option", "permission denied", "out of memory", "bad magic"]
    assert not any(turns.play(run(f"do {n}", text, "error")) for n, text in enumerate(complaints))


def test_a_success_of_the_tool_begins_anew():
    turns = Turns()
    played = [missing("a1.py"), missing("b2.py"), read("c3.py"), missing("d4.py"), missing("e5.py")]
    assert not any(turns.play(call) for call in played)


def test_tests_that_keep_failing_while_code_is_edited_are_work():
    turns = Turns()
    for n in range(8):
        assert turns.play(patch(f"m{n}.py")) is None
        assert turns.play(run("pytest -q", "1 failed", "error")) is None


def test_twelve_files_with_search_move_and_edit_each_are_work():
    turns = Turns()
    for n in range(12):
        name = f"file{chr(97 + n)}"
        assert turns.play(("search", {"pattern": name}, "ok", f"1 match in {name}.py")) is None
        assert turns.play(run(f"git mv {name}.py new/{name}.py", "")) is None
        assert turns.play(patch(f"new/{name}.py")) is None


def test_twelve_files_in_one_batch_a_turn_are_work():
    turns = Turns()
    for n in range(12):
        name = f"f{n}.py"
        assert turns.play(read(name), run(f"mv {name} new/{name}", ""), patch(f"new/{name}")) is None


def test_waiting_in_between_while_the_state_changes_is_work():
    turns = Turns()
    for state in ("queued", "building", "testing", "packing", "uploading", "done"):
        assert turns.play(run("sleep 5", "")) is None
        assert turns.play(run("status", state)) is None


def test_paging_is_work():
    turns = Turns(2)
    pages = (("read", {"file": "a", "start": 100 * n}, "ok", f"page {n}") for n in range(12))
    assert not any(turns.play(page) for page in pages)


def test_after_forgetting_everything_begins_anew():
    turns = Turns()
    for name in "aba":
        turns.play(read(name))
    turns.circling.forget()
    assert turns.play(read("b")) is None


def test_an_error_class_is_of_one_tool_and_one_status():
    call = ToolCall(id="x", name="read", arguments_json='{"file": "a.py"}')
    classes = {
        error_class(call, made("x", tool, status), "no")
        for tool in ("read", "tree")
        for status in ("error", "denied")
    }
    assert len(classes) == 4


def test_arguments_that_are_no_json_have_a_class_too():
    call = ToolCall(id="x", name="read", arguments_json="{")
    assert error_class(call, made("x", "read", "error"), "not valid JSON")
