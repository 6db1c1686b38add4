"""Where paths lead: every way out of the project that was ever used, and the places nobody may see."""

from __future__ import annotations

import fcntl
import os
import socket
import sys
import threading
from pathlib import Path

import pytest

from chatcli.errors import Denied, InvalidArguments
from chatcli.gate.paths import check_open_fd, is_within, runs_by_itself


async def denied(gate, path: str) -> str:
    with pytest.raises(Denied) as error:
        await gate.read(path)
    return str(error.value)


async def test_the_project_and_the_workspace_are_readable(world) -> None:
    gate = world.gate("plan")
    world.file("src/a.py")
    result = world.file("budget_1.txt", under=world.results)
    assert await gate.read("src/a.py") == world.project / "src/a.py"
    assert await gate.read(str(world.project / "src")) == world.project / "src"
    assert await gate.read("missing") == world.project / "missing"
    assert await gate.read("src/../src/a.py") == world.project / "src/a.py"
    assert await gate.read(str(result)) == result
    assert await gate.read(".") == world.project


@pytest.mark.parametrize(
    "path",
    [
        "..",
        "../other",
        "src/../../other",
        "/etc/passwd",
        "/",
        "~",
        "~/x",
        "link",
        "link/x",
        "chain/x",
        "deep/link/x",
    ],
)
async def test_nothing_outside_is_read_in_plan_mode(world, path: str) -> None:
    # CVE-2025-53109 and 53110, CVE-2026-39861: `..`, absolute paths, links in any component
    outside = world.root / "other"
    outside.mkdir()
    (world.project / "deep").mkdir()
    (world.project / "link").symlink_to(outside)
    (world.project / "deep" / "link").symlink_to("../../other")
    (world.project / "chain").symlink_to("link")
    assert "outside the project" in await denied(world.gate("plan"), path)


async def test_a_folder_whose_name_begins_like_the_project_is_outside(world) -> None:
    # CVE-2025-54794: /work-evil is not inside /work
    evil = world.file("x", under=Path(f"{world.project}-evil"))
    assert "outside" in await denied(world.gate("plan"), str(evil))
    assert "outside" in await denied(world.gate("plan"), "../project-evil/x")


@pytest.mark.parametrize("path", ["", "a\0b", "a\nb", "a\x1b[2Jb", "a\rb", "\ud800"])
async def test_what_can_be_no_path_is_a_mistake_and_no_denial(world, path: str) -> None:
    with pytest.raises(InvalidArguments):
        await world.gate("all").read(path)
    with pytest.raises(InvalidArguments):
        world.gate("all").writable(path)


async def test_a_folder_is_no_file_to_write_and_homes_of_others_are_closed(world) -> None:
    with pytest.raises(InvalidArguments, match="is a folder"):
        world.gate("all").writable(".")
    assert await denied(world.gate("all"), "~root/x")


@pytest.mark.parametrize("path", ["/proc/self/root/etc/passwd", "/proc/self/cwd/../../etc", "/dev/fd/0"])
async def test_links_of_the_kernel_are_followed_too(world, path: str) -> None:
    assert await denied(world.gate("plan"), path)


@pytest.mark.parametrize("path", ["/proc/self/environ", "/proc/1/environ", "/proc/self/mem", "link"])
async def test_the_state_of_processes_is_never_read(world, path: str, person) -> None:
    # Our own environment holds the keys of the provider.
    (world.project / "link").symlink_to("/proc/self/environ")
    asked = person()
    assert "keys or passwords" in await denied(world.gate("all", person=asked), path)
    assert not asked.asked


@pytest.mark.parametrize(
    "name",
    [
        ".ssh/id_rsa",
        ".ssh/config",
        ".ssh",
        ".SSH/id_rsa",
        ".gnupg/x",
        ".aws/credentials",
        ".config/gcloud/x.json",
        ".netrc",
        ".npmrc",
        ".pypirc",
        ".docker/config.json",
        ".kube/config",
        "work/server.pem",
        "work/id_ed25519",
        "work/id_rsa.bak",
    ],
)
async def test_key_stores_are_not_even_asked_about(world, name: str, person) -> None:
    world.file(name if name != ".ssh" else ".ssh/x", under=world.user_home)
    for level in ("plan", "ask", "all"):
        asked = person()
        gate = world.gate(level, person=asked)
        assert "keys or passwords" in await denied(gate, f"~/{name}")
        with pytest.raises(Denied):
            gate.writable(f"~/{name}")
        assert not asked.asked


async def test_the_home_of_chatcli_is_a_key_store(world) -> None:
    world.file("credentials.json", under=world.home)
    assert "keys or passwords" in await denied(world.gate("all"), str(world.home / "credentials.json"))


async def test_only_a_rule_that_names_the_key_store_opens_it(world) -> None:
    world.secret()
    assert await denied(world.gate(allow=["read:~"]), "~/.ssh/id_rsa")
    assert await denied(world.gate(allow=["read:/"]), "~/.ssh/id_rsa")
    assert await denied(world.gate(allow=["read:~/**"]), "~/.ssh/id_rsa")
    assert await world.gate(allow=["read:~/.ssh/id_rsa"]).read("~/.ssh/id_rsa")
    assert await world.gate(allow=["read:~/.ssh"]).read("~/.ssh/id_rsa")
    assert await denied(world.gate(allow=["read:~/.ssh/config"]), "~/.ssh/id_rsa")


async def test_a_link_in_the_project_does_not_open_a_key_store(world) -> None:
    world.secret()
    (world.project / "notes.txt").symlink_to(world.user_home / ".ssh/id_rsa")
    (world.project / "dir").symlink_to(world.user_home / ".ssh")
    for path in ("notes.txt", "dir/id_rsa", "dir"):
        assert "keys or passwords" in await denied(world.gate("all"), path)


async def test_a_hard_link_in_the_project_does_not_open_a_key_store(world) -> None:
    os.link(world.secret(), world.project / "notes.txt")
    assert "keys or passwords" in await denied(world.gate("all"), "notes.txt")
    assert not world.gate().judge("cat notes.txt").read_only


async def test_devices_pipes_and_sockets_are_not_opened(world) -> None:
    os.mkfifo(world.project / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        here = Path.cwd()
        os.chdir(world.project)
        server.bind("socket")
        os.chdir(here)
    (world.project / "device").symlink_to("/dev/zero")
    for name in ("pipe", "socket", "device"):
        assert "device, a pipe or a socket" in await denied(world.gate("all"), name)
        with pytest.raises(Denied):
            world.gate("all").writable(name)


async def test_a_project_above_key_stores_is_readable_but_not_they(world) -> None:
    world.secret()
    world.project = world.user_home
    assert await world.gate().read(".") == world.user_home
    assert await world.gate().read("notes.txt")
    assert await denied(world.gate(), ".ssh/id_rsa")


def test_saved_results_are_never_written(world) -> None:
    world.file("budget_1.txt", under=world.results)
    for name in ("budget_1.txt", "new.txt"):
        with pytest.raises(Denied, match="never changed"):
            world.gate("all", allow=["write:/**"]).writable(str(world.results / name))


@pytest.mark.parametrize(
    "name",
    [
        ".git/config",
        ".git/hooks/pre-commit",
        "deep/nested/.git/config",
        "deep/.GIT/config",
        ".git",
        ".gi\u200bt/hooks/x",
        ".chatcli/settings.toml",
        ".mcp.json",
        ".vscode/tasks.json",
        ".envrc",
        ".husky/pre-commit",
    ],
)
async def test_files_that_run_by_themselves_always_ask(world, person, name: str) -> None:
    # codex PR 1765, 18446, 37081: also nested repositories, also when they do not exist yet
    change = Change(world.project / name, None, b"x")
    for allow in ([], ["write:**"], ["write:.git/config"]):
        asked = person()
        with pytest.raises(Denied):
            await world.gate("all", allow=allow, person=asked).write([change], "")
        assert asked.asked[0].reasons
        assert asked.asked[0].rule is None


async def test_other_names_of_a_file_are_mentioned_before_it_is_written(world, person) -> None:
    other = world.file("outside.txt", under=world.root)
    os.link(other, world.project / "a.txt")
    asked = person()
    with pytest.raises(Denied):
        await world.gate("all", person=asked).write([Change(world.project / "a.txt", b"x\n", b"y")], "")
    assert "other names" in asked.asked[0].reasons[0]


async def test_writing_through_a_link_goes_where_the_link_leads(world, person) -> None:
    outside = world.file("outside.txt", under=world.root)
    (world.project / "a.txt").symlink_to(outside)
    asked = person()
    with pytest.raises(Denied):
        await world.gate("all", person=asked).write([Change(world.project / "a.txt", b"x\n", b"y")], "")
    assert asked.asked[0].subject == str(outside)


class Change:
    def __init__(self, path: Path, before: bytes | None, after: bytes) -> None:
        self.path, self.before, self.after = path, before, after


def test_folders_compare_by_components_not_by_text() -> None:
    assert is_within(Path("/srv/a"), Path("/srv"))
    assert is_within(Path("/srv"), Path("/srv"))
    assert not is_within(Path("/srv-evil"), Path("/srv"))
    assert not is_within(Path("/"), Path("/srv"))


def test_other_spellings_of_one_folder_are_told_by_the_folder_itself(tmp_path: Path) -> None:
    # Without a case-insensitive disk a second folder stands in for what must stay apart.
    (tmp_path / "Work").mkdir()
    (tmp_path / "work").mkdir()
    assert not is_within(tmp_path / "Work" / "x", tmp_path / "work")


def test_harmless_names_do_not_run_by_themselves() -> None:
    for name in ("/p/.gitignore", "/p/.github/workflows/x.yml", "/p/git/config", "/p/a.git/config"):
        assert runs_by_itself(Path(name)) is None


def test_an_opened_file_is_checked_against_the_path_that_was_approved(world) -> None:
    path = world.file("a.txt")
    other = world.file("b.txt")
    with path.open("rb") as file:
        check_open_fd(file.fileno(), path)
        with pytest.raises(Denied):
            check_open_fd(file.fileno(), other)
    os.mkfifo(world.project / "pipe")
    descriptor = os.open(world.project / "pipe", os.O_RDWR)
    with pytest.raises(Denied):
        check_open_fd(descriptor, world.project / "pipe")
    os.close(descriptor)


async def test_a_folder_swapped_for_a_link_is_noticed_after_opening(world) -> None:
    world.file("dir/key", "harmless", under=world.project)
    world.file("key", "SECRET", under=world.user_home / ".ssh")
    gate = world.gate()
    stop = threading.Event()

    def swap() -> None:
        folder, aside, link = (world.project / name for name in ("dir", "aside", "link"))
        link.symlink_to(world.user_home / ".ssh")
        while not stop.is_set():
            folder.rename(aside)
            link.rename(folder)
            folder.rename(link)
            aside.rename(folder)

    thread = threading.Thread(target=swap)
    thread.start()
    seen = set()
    try:
        for _ in range(2_000):
            try:
                path = await gate.read("dir/key")
                with path.open(encoding="utf-8") as file:
                    check_open_fd(file.fileno(), path)
                    seen.add(file.read())
            except (Denied, OSError):
                continue
    finally:
        stop.set()
        thread.join()
    assert seen <= {"harmless"}


def test_on_macos_the_kernel_is_asked_where_an_open_file_lies(world, monkeypatch) -> None:
    path = world.file("a.py").resolve()
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(fcntl, "F_GETPATH", 50, raising=False)
    answers = iter([os.fsencode(path), b"/elsewhere/a.py"])
    monkeypatch.setattr(fcntl, "fcntl", lambda _fd, _command, room: next(answers).ljust(len(room), b"\0"))
    with path.open() as file:
        check_open_fd(file.fileno(), path)
        with pytest.raises(Denied, match="changed its place"):
            check_open_fd(file.fileno(), path)
