"""What a command line does: every simple command in it is judged, however deep it is nested."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from chatcli.gate.analysis import WRITES, Analysis, Unit
from chatcli.gate.dangers import SYSTEM, UNKNOWN_TARGET, assignment_danger, command_dangers, process_dangers
from chatcli.gate.expansion import SOME_WORD, Arg, arguments, variables_of
from chatcli.gate.flags import UNKNOWN_VALUE, Use, read_flags
from chatcli.gate.gitshows import GitProgram
from chatcli.gate.grammar import parse, refused_characters
from chatcli.gate.reach import BY_NAME, HARMLESS_DEVICES, Purpose, Reach
from chatcli.gate.readonly import HARMLESS_VARIABLES, READERS, SPEAKERS
from chatcli.gate.reasons import Reason
from chatcli.gate.repository import repository_risk
from chatcli.gate.script import Assignment, Loop, Redirect, SimpleCommand
from chatcli.gate.searches import SEARCHES, opens_below, starting_points
from chatcli.gate.special import OWN_VARIABLE, SPECIAL_READERS
from chatcli.gate.unread import Unread
from chatcli.gate.words import Word
from chatcli.gate.wrappers import INTERPRETERS, RUNS_FILES, Nested, unwrap
from chatcli.i18n import N_

_MAX_NESTED_SCRIPTS = 5
_MAX_NAME_CHARS = 250
_TELL_NAMES = frozenset({"ls", "tree", "du", "df", "stat", "file", "realpath", "readlink", "find", "wc"})
_GIT_TELLS_NAMES = frozenset({"status", "ls-files", "check-ignore"})

CONTROL_CHARACTERS = N_("it holds control characters: {about}")
UNKNOWN_NAME = N_("which program it runs is only known when it runs: {about}")
NOT_A_READER = N_("it is not known to only read: {about}")
OF_THE_PROJECT = N_("it runs a program of the project: {about}")
ASSIGNS = N_("it sets a variable: {about}")
HIDDEN = N_("what it runs does not stand in the line: {about}")
IN_A_LOOP = N_("it changes the folder in a loop")


class Surroundings(Struct, frozen=True):
    """Where commands run: what they may reach, the variables they inherit, and their `PATH`."""

    reach: Reach
    inherited: Mapping[str, str]

    @property
    def search_path(self) -> str:
        return self.inherited.get("PATH", "")


def analyse(text: str, folder: Path, surroundings: Surroundings) -> Analysis:
    """Judge a command line that would run in `folder` (resolved)."""
    refused = refused_characters(text)
    if refused:
        return Analysis(refused=Reason(CONTROL_CHARACTERS, refused))
    return _Judge(surroundings, [folder]).script(text)


class _Judge:
    """One walk through one script; `folders` are all folders in which a command may find itself."""

    def __init__(self, surroundings: Surroundings, folders: list[Path], depth: int = 0) -> None:
        self._reach = surroundings.reach
        self._surroundings = surroundings
        self._folders = folders
        self._depth = depth
        self._variables: Mapping[str, tuple[Word, ...]] = {}
        self._errors: list[Reason] = []
        self._unjudged: list[Reason] = []

    def script(self, text: str) -> Analysis:
        script = parse(text)
        self._variables = variables_of(script, self._surroundings.inherited)
        self._errors += script.errors
        self._unjudged += script.unjudged
        units = [self._command(command) for command in script.commands]
        handed_on = tuple(Unread(self._folders, self._reach).in_script(script.commands))
        units += [Unit(reason=handed_on[0], dangers=handed_on)] if handed_on else []
        units += [self._loop(loop) for loop in script.loops if not self._is_own(loop.name)]
        return Analysis(tuple(units), None, tuple(self._errors), tuple(self._unjudged))

    def _loop(self, loop: Loop) -> Unit:
        danger = assignment_danger(loop.name)
        return Unit(reason=Reason(ASSIGNS, loop.name), dangers=(danger,) if danger else ())

    def _command(self, command: SimpleCommand) -> Unit:
        args: list[Arg | None] = []
        reasons: list[Reason | None] = []
        tests = bool(command.words) and command.words[0].text == "test"
        for word in command.words:
            found = (SOME_WORD,) if tests and _is_dynamic(word) else self._arguments(word)
            args += found
            if None in found:
                reasons.append(Reason(UNKNOWN_VALUE, word.raw))
        unit = self._words(args, command) if args else Unit()
        # An unknown word is the better explanation, but echo may say anything.
        reasons = [*(reasons if unit.reason else []), unit.reason, *self._assigned(command)]
        assigned = (a.name for a in command.assignments if not self._is_field_separator(a, command))
        dangers = [*unit.dangers, *filter(None, map(assignment_danger, assigned))]
        writes: list[Path] = []
        for redirect in command.redirects:
            reason, danger, paths = self._redirect(redirect)
            reasons.append(reason)
            dangers += [danger] if danger else []
            writes += paths
        raws = [word.raw for word in _words_of(command)]
        dangers += process_dangers(raws) if any(reasons) else []
        covered = () if command.assignments else unit.words
        return Unit(
            reason=next(filter(None, reasons), None),
            words=covered,
            dangers=tuple(dict.fromkeys(dangers)),
            inner=unit.inner if covered else (),
            writes=tuple(dict.fromkeys(writes)),
            calls=unit.calls if covered else unit.all_calls,
            code=unit.code if covered else unit.all_code,
        )

    def _words(self, args: Sequence[Arg | None], command: SimpleCommand) -> Unit:
        program = args[0]
        if program is None or not program.sure or not program.text:
            raw = command.words[0].raw
            return Unit(reason=Reason(UNKNOWN_NAME, raw), dangers=(Reason(UNKNOWN_NAME, raw),))
        name = program.text.rpartition("/")[2]
        texts = [arg.text if arg else None for arg in args[1:]]
        nested = unwrap(name, args[1:])
        if program.text == "cd":
            return self._change_folder(args[1:], repeated=command.repeated)
        reason = None if nested else self._reading(program.text, args[1:])
        inner, dangers = self._nested(nested, command) if nested else ((), [])
        if nested:
            reason = self._wrapping(program.text, nested, inner)
        if reason:
            raws = [word.raw for word in command.words]
            dangers += command_dangers(name, texts, raws, self._folders, self._reach, fed=command.fed)
            dangers += [reason] if reason.text in BY_NAME else []
            dangers += Unread(self._folders, self._reach).in_command(name, args[1:], raws, reason)
        transparent = nested is not None and nested.transparent and not nested.assigned
        hidden = () if transparent else inner
        return Unit(
            reason=reason,
            calls=((name, *filter(None, texts)), *(call for unit in hidden for call in unit.all_calls)),
            code=(*self._code(program.text, texts), *(path for unit in hidden for path in unit.all_code)),
            words=() if None in args else tuple(arg.text if arg and arg.sure else None for arg in args),
            dangers=tuple(dangers),
            inner=inner if transparent else (),
        )

    def _code(self, program: str, texts: Sequence[str | None]) -> Iterator[Path]:
        """Files that a program runs: itself, and what an interpreter is given."""
        name = program.rpartition("/")[2]
        given = [program] if "/" in program else []
        reads_data = name.endswith("awk") and "-f" not in texts
        if name in RUNS_FILES or (INTERPRETERS.fullmatch(name) and not reads_data):
            given += [text for text in texts if text]
            given += [f"{text.replace('.', '/')}.py" for text in texts if text and name.startswith("py")]
        elif name in {"make", "gmake"}:
            given += ["Makefile", "makefile", "GNUmakefile"]
        for folder in self._folders:
            yield from (folder / text for text in given if len(text) < _MAX_NAME_CHARS)

    # What a command reads

    def _reading(self, program: str, args: Sequence[Arg | None]) -> Reason | None:
        """None when this call only reads, and only what may be read."""
        name = self._known_name(program)
        if isinstance(name, Reason):
            return name
        if name in SPEAKERS or (name == "command" and args and args[0] in (Arg("-v"), Arg("-V"))):
            return None
        use = self._use(name, args)
        if isinstance(use, Reason):
            return use
        if name == "git":
            folders = [folder / path for folder in self._folders for path in ("", *use.paths)]
            for folder in filter(Path.is_dir, folders):
                risk = repository_risk(folder.resolve())
                if risk:
                    return risk
        return (
            self._refusal(name, use, args)
            or self._secret_below(name, use)
            or self._shown_by_git(name, use, args)
        )

    def _use(self, name: str, args: Sequence[Arg | None]) -> Use | Reason:
        if name in SPECIAL_READERS:
            return SPECIAL_READERS[name](args)
        if name in READERS:
            return read_flags(READERS[name], args)
        if name == "env" and not args:
            return Use()
        return Reason(NOT_A_READER, name)

    def _refusal(self, name: str, use: Use, args: Sequence[Arg | None]) -> Reason | None:
        paths = [*use.paths, *use.files]
        purpose = _purpose(name, args)
        if name in SEARCHES:
            paths.append(".")
        for folder in self._folders:
            for path in paths:
                reason = self._reach.refuses_argument(path, folder, purpose)
                if reason:
                    return reason
            for path in use.files:
                if (folder / path).is_dir():
                    return Reason(UNKNOWN_VALUE, path)
            for text in use.text:
                # A value, or a path after a flag that takes none on this system.
                if text.startswith(("~", "..")) or (text.startswith("/") and Path(text).exists()):
                    reason = self._reach.refuses_argument(text, folder, "read")
                    if reason and name not in SEARCHES | {"sed", "echo"}:
                        return reason
        return None

    def _secret_below(self, name: str, use: Use) -> Reason | None:
        """A search of a folder opens every file in it, also those that nobody named."""
        opens = opens_below(name, use) if name in SEARCHES else None
        if opens is None:
            return None
        for folder in self._folders:
            for path in starting_points(use):
                reason = self._reach.secret_name_below((folder / path).resolve(), opens)
                if reason:
                    return reason
        return None

    def _shown_by_git(self, name: str, use: Use, args: Sequence[Arg | None]) -> Reason | None:
        """A diff shows every file that changed, also those that nobody named."""
        if name != "git":
            return None
        git = GitProgram(self._surroundings.inherited, self._reach.is_secret_by_name)
        words = [arg for arg in args if arg]
        reasons = (git.refuses_to_show(words, use, folder) for folder in self._folders)
        return next(filter(None, reasons), None)

    def _known_name(self, program: str) -> str | Reason:
        """The name of a program that is found where programs of the system lie."""
        name = program.rpartition("/")[2]
        found = shutil.which(program, path=self._surroundings.search_path)
        if "/" in program:
            usual = shutil.which(name, path=self._surroundings.search_path)
            if not found or not usual or not Path(found).samefile(usual):
                return Reason(NOT_A_READER, program)
        if found and self._reach.territory.place(Path(found).resolve()).kind in {"project", "scratch"}:
            return Reason(OF_THE_PROJECT, found)
        return name

    # What a command runs

    def _nested(self, nested: Nested, command: SimpleCommand) -> tuple[tuple[Unit, ...], list[Reason]]:
        units = [self._words(inner, command) for inner in nested.commands if inner]
        for text in nested.scripts:
            if self._depth >= _MAX_NESTED_SCRIPTS:
                self._errors.append(Reason(N_("it is nested too deeply to be judged")))
                break
            judge = _Judge(self._surroundings, self._folders, self._depth + 1)
            analysis = judge.script(text)
            self._errors += analysis.errors
            self._unjudged += analysis.unjudged
            units += analysis.units
        dangers = [danger for unit in units for danger in unit.dangers]
        dangers += filter(None, map(assignment_danger, nested.assigned))
        return tuple(units), dangers

    def _wrapping(self, program: str, nested: Nested, inner: Sequence[Unit]) -> Reason | None:
        known = self._known_name(program)
        if isinstance(known, Reason):
            return known
        if nested.hidden:
            return Reason(HIDDEN, program)
        for name in nested.assigned:
            if name not in HARMLESS_VARIABLES:
                return Reason(ASSIGNS, name)
        for unit in inner:
            if unit.reason or unit.writes:
                return unit.reason or Reason(WRITES, str(unit.writes[0]))
        return None if nested.transparent and inner else Reason(NOT_A_READER, program)

    # Folders, variables, redirections

    def _change_folder(self, args: Sequence[Arg | None], *, repeated: bool) -> Unit:
        words = () if None in args else ("cd", *(arg.text if arg and arg.sure else None for arg in args))
        target = args[0] if len(args) == 1 else None
        if target is None or not target.sure or target.text[:1] in {"", "-", "~"}:
            reason = Reason(UNKNOWN_VALUE, "cd")
            return Unit(reason=reason, dangers=(Reason(UNKNOWN_TARGET, "cd"),))
        if repeated:
            return Unit(reason=Reason(IN_A_LOOP), dangers=(Reason(UNKNOWN_TARGET, "cd"),))
        for folder in list(self._folders):
            refusal = self._reach.refuses_argument(target.text, folder, "read")
            reached = Path(os.path.normpath(folder / target.text))
            # Through a link `..` means two things: the shell's and the kernel's.
            if reached.resolve() != reached:
                refusal = refusal or Reason(UNKNOWN_VALUE, target.text)
            if reached not in self._folders:
                self._folders.append(reached)
            if refusal:
                return Unit(reason=refusal, words=words, dangers=(refusal,))
        return Unit(words=words)

    def _arguments(self, word: Word) -> Sequence[Arg | None]:
        found = arguments(word, self._folders, self._variables, self._reach.territory.user_home)
        return (None,) if found is None else found

    def _assigned(self, command: SimpleCommand) -> Iterator[Reason]:
        for assignment in command.assignments:
            name, value = assignment.name, assignment.value
            if self._is_field_separator(assignment, command):
                continue
            if command.words:
                # An absolute locale or time zone is a file to load.
                text = value.text if value else None
                harmless = name in HARMLESS_VARIABLES and text is not None and not text.startswith("/")
            else:
                harmless = self._is_own(name)
            if not harmless:
                yield Reason(ASSIGNS, name)

    def _is_field_separator(self, assignment: Assignment, command: SimpleCommand) -> bool:
        """`IFS= read -r line`, where it lasts for this one built-in."""
        return assignment.name == "IFS" and bool(command.words) and command.words[0].text == "read"

    def _is_own(self, name: str) -> bool:
        """Whether a variable belongs to the line alone, so that nothing else looks at it."""
        inherited = name in self._surroundings.inherited
        return OWN_VARIABLE.fullmatch(name) is not None and not inherited and not assignment_danger(name)

    def _redirect(self, redirect: Redirect) -> tuple[Reason | None, Reason | None, list[Path]]:
        """Why it does more than read, why it is dangerous, and the files that it writes."""
        if redirect.target is None:
            return None, None, []
        args = self._arguments(redirect.target)
        raw = redirect.target.raw
        paths: list[Path] = []
        for arg in args:
            if arg is None or not arg.sure:
                reason = Reason(UNKNOWN_VALUE, raw)
                return reason, Reason(UNKNOWN_TARGET, raw) if redirect.writes else None, []
            if not arg.text or arg.text in HARMLESS_DEVICES:
                continue
            if arg.text.startswith(("/dev/tcp/", "/dev/udp/")):
                return Reason(SYSTEM, raw), Reason(SYSTEM, raw), []
            for folder in self._folders:
                refusal = self._reach.refuses_argument(
                    arg.text, folder, "write" if redirect.writes else "read"
                )
                if refusal:
                    return refusal, refusal, []
                paths.append(self._reach.territory.resolve(arg.text, folder))
        return None, None, paths if redirect.writes else []


def _words_of(command: SimpleCommand) -> Iterator[Word]:
    yield from command.words
    yield from filter(None, (assignment.value for assignment in command.assignments))
    yield from filter(None, (redirect.target for redirect in command.redirects))


def _is_dynamic(word: Word) -> bool:
    return word.text is None and word.stays_one


def _purpose(name: str, args: Sequence[Arg | None]) -> Purpose:
    """What a reading program does with the paths that it is given."""
    if name in SEARCHES:
        return "search"
    command = next((arg.text for arg in args if arg and not arg.text.startswith("-")), "")
    names_only = command in _GIT_TELLS_NAMES if name == "git" else name in _TELL_NAMES
    return "names" if names_only else "read"
