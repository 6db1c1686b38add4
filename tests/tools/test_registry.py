"""Where tools come from, and that a broken or hostile source breaks nothing else."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from chatcli.tools import InvalidArguments
from chatcli.tools.registry import Registry
from tests.tools.fakes import FakeContext

BUILT_IN = {"ask", "code", "exec", "git", "patch", "read", "recall", "search", "todo", "tree", "write"}

HELLO = '''
from chatcli.tools import ToolContext, tool

@tool("hello")
async def hello(ctx: ToolContext, name: str) -> str:
    """Say hello."""
    return f"hello {name}"
'''

Program = Callable[..., Path]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "plugins"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture
def program(folder: Path) -> Program:
    def write(
        name: str = "echoer",
        *,
        metadata: str = '{"name": "echoer", "description": "Echo.", "read_only": true}',
        schema: str = '{"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}',
        call: str = "cat",
    ) -> Path:
        path = folder / name
        path.write_text(
            "#!/bin/sh\n"
            f"echo asked >> {folder.parent}/asked\n"
            f"case \"$1\" in --metadata) echo '{metadata}';; --schema) echo '{schema}';; *) {call};; esac\n"
        )
        path.chmod(0o700)
        return path

    return write


def load(folder: Path) -> Registry:
    return Registry.load(folder, entry_points=False)


def reasons(registry: Registry) -> dict[str, str]:
    return {Path(broken.source).name: broken.reason for broken in registry.broken}


def test_the_built_in_tools_are_there_sorted_by_name() -> None:
    registry = Registry.load()
    assert registry.tools.keys() >= BUILT_IN
    names = [schema.name for schema in registry.schemas()]
    assert names == sorted(names)
    assert registry.broken == ()


def test_loading_imports_nothing_slow() -> None:
    program = "import sys; from chatcli.tools.registry import Registry; Registry.load(); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True)
    slow = {
        "pathspec",
        "regex",
        "importlib.metadata",
        "rich",
        "prompt_toolkit",
        "httpx",
        "tree_sitter",
        "email",
    }
    assert not slow & set(loaded.stdout.split())


async def test_a_python_file_of_the_folder_is_a_tool(folder: Path, tmp_path: Path) -> None:
    (folder / "hello.py").write_text(HELLO)
    registry = load(folder)
    assert await FakeContext(tmp_path).text(registry.tools["hello"], name="you") == "hello you"
    assert registry.sources["hello"] == str(folder / "hello.py")


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("import sys; sys.exit(3)", "SystemExit: 3"),
        ("def broken(", "SyntaxError: '(' was never closed (broken.py, line 1)"),
        ("import no_such_module_here", "ModuleNotFoundError: No module named 'no_such_module_here'"),
        ("x = 1", "it declares no tool"),
    ],
)
def test_a_broken_file_is_listed_with_its_reason(folder: Path, source: str, reason: str) -> None:
    (folder / "broken.py").write_text(source)
    (folder / "hello.py").write_text(HELLO)
    registry = load(folder)
    assert reasons(registry) == {"broken.py": reason}
    assert "hello" in registry.tools


def test_a_plugin_cannot_take_the_name_of_a_built_in_tool(folder: Path, program: Program) -> None:
    (folder / "mine.py").write_text(HELLO.replace('"hello"', '"read"'))
    program(metadata='{"name": "exec", "description": "Mine."}')
    registry = load(folder)
    assert registry.sources["read"] == registry.sources["exec"] == "chatcli_plugins"
    assert reasons(registry) == {
        "mine.py": "the name read is taken by chatcli_plugins",
        "echoer": "the name exec is taken by chatcli_plugins",
    }


def test_hidden_files_and_plain_files_are_left_out(folder: Path) -> None:
    for name in (".hidden.py", "_part.py"):
        (folder / name).write_text("1 / 0")
    (folder / "notes.txt").write_text("notes")
    assert load(folder).broken == ()


def test_nothing_is_loaded_from_a_folder_that_others_may_write(folder: Path) -> None:
    (folder / "hello.py").write_text(HELLO)
    folder.chmod(0o777)
    registry = load(folder)
    assert "hello" not in registry.tools
    assert "others may write" in reasons(registry)["plugins"]


def test_a_file_that_others_may_write_is_not_loaded(folder: Path) -> None:
    (folder / "hello.py").write_text(HELLO)
    (folder / "hello.py").chmod(0o666)
    registry = load(folder)
    assert "hello" not in registry.tools
    assert "others may write" in reasons(registry)["hello.py"]


def test_a_missing_folder_is_no_error(tmp_path: Path) -> None:
    assert load(tmp_path / "nowhere").broken == ()


async def test_a_program_gets_its_checked_arguments_as_json(
    folder: Path, program: Program, tmp_path: Path
) -> None:
    program()
    echoer = load(folder).tools["echoer"]
    context = FakeContext(tmp_path)
    assert await context.text(echoer, n="3") == '{"n":3}'
    assert context.processes.commands == []
    with pytest.raises(InvalidArguments, match="'n' must be an integer"):
        echoer.validate({"n": "three"})


async def test_large_arguments_reach_a_program(folder: Path, program: Program, tmp_path: Path) -> None:
    program(schema='{"type": "object", "properties": {"text": {"type": "string"}}}')
    said = await FakeContext(tmp_path).text(load(folder).tools["echoer"], text="x" * 300_000)
    assert msgspec.json.decode(said) == {"text": "x" * 300_000}


async def test_a_program_that_does_more_than_read_passes_the_gate_as_a_command(
    folder: Path, program: Program, tmp_path: Path
) -> None:
    path = program(metadata='{"name": "echoer", "description": "Echo."}')
    context = FakeContext(tmp_path)
    assert await context.text(load(folder).tools["echoer"], n=3) == '{"n":3}\n'
    assert context.processes.commands == [f"{path} <<< '{{\"n\":3}}'"]


async def test_a_failing_program_is_an_error_with_what_it_said(
    folder: Path, program: Program, tmp_path: Path
) -> None:
    program(call="echo begun; echo no luck >&2; exit 5")
    context = FakeContext(tmp_path)
    output = await context.call(load(folder).tools["echoer"], n=3)
    assert output.is_error
    assert output.archived is not None
    assert context.store.text(output.archived.key) == "begun\nno luck\n[exit 5]"


def test_a_program_sees_no_secrets_while_it_is_asked(
    folder: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary")
    program(metadata='{"name": "echoer", "description": "\'"$(env | grep -c canary)"\'"}')
    assert load(folder).tools["echoer"].description == "0"


def test_what_a_program_says_of_itself_is_kept_until_it_changes(folder: Path, program: Program) -> None:
    path = program()
    load(folder)
    load(folder)
    assert (folder.parent / "asked").read_text() == "asked\n" * 2
    path.write_text(path.read_text().replace("Echo.", "Echo more."))
    assert load(folder).tools["echoer"].description == "Echo more."


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({"metadata": "nonsense"}, "JSON is malformed"),
        ({"metadata": '{"name": "x"}'}, "missing required field `description`"),
        ({"metadata": '{"name": "X y", "description": "d"}'}, "is no name for a tool"),
        ({"schema": "[]"}, "Expected `object`"),
        ({"schema": '{"type": "object", "properties": []}'}, "--schema does not describe an object"),
        ({"schema": "{}"}, "--schema does not describe an object"),
        (
            {"metadata": f'{{"name": "x", "description": "{"d" * 3000}"}}'},
            "longer than 2000 characters",
        ),
        ({"metadata": "'; yes '"}, "printed more than"),
    ],
)
def test_a_program_with_a_wrong_answer_is_listed(
    folder: Path, program: Program, said: dict[str, str], reason: str
) -> None:
    program(**said)
    registry = load(folder)
    assert "echoer" not in registry.tools
    assert reason in reasons(registry)["echoer"]


def test_a_program_that_hangs_costs_its_time_once(
    folder: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chatcli.tools.executable.ANSWER_SECONDS", 0.2)
    program(metadata="'; sleep 60; echo '")
    assert "did not answer" in reasons(load(folder))["echoer"]
    assert "did not answer" in reasons(load(folder))["echoer"]
    assert (folder.parent / "asked").read_text() == "asked\n"


def test_the_caps_of_a_program_are_clamped(folder: Path, program: Program) -> None:
    program(metadata='{"name": "echoer", "description": "Echo.", "max_result_chars": 1000000}')
    assert load(folder).tools["echoer"].max_result_chars == 80_000


def test_an_installed_package_is_found_by_its_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = tmp_path / "greeter-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: greeter\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[console_scripts]\nx = y:z\n\n[chatcli.plugins]\ngreeter = greeter_plugin\nbad = nowhere_plugin\n"
    )
    (tmp_path / "greeter_plugin.py").write_text(HELLO)
    monkeypatch.syspath_prepend(tmp_path)
    registry = Registry.load()
    assert registry.sources["hello"] == "greeter (greeter_plugin)"
    assert reasons(registry) == {
        "bad (nowhere_plugin)": "ModuleNotFoundError: No module named 'nowhere_plugin'"
    }
