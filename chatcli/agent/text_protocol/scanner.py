"""Tells the calls in what a model writes from its words, while it writes.

What stands in a block of code, in `code`, behind `>`, in <pre>, <code> or a comment, or in a thought at
the beginning is no call; an indented line may be one, as it is where steps are listed. The text goes
through a chain of generators a character at a time, and each is looked at a bounded number of times: the
work grows with the length of the text, whatever it holds and however it is cut into pieces.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Generator

from msgspec import Struct

from chatcli.agent.text_protocol.arguments import envelope
from chatcli.agent.text_protocol.spellings import (
    SPACE,
    Draft,
    Steps,
    read_bracket,
    read_object,
    read_tag,
)

_THOUGHTS = ("<think>", "<thinking>")
_CODE_TAGS = ("<pre", "<code")
_AFTERMATH_CHARS = 600
"""So much may stand between two calls; a model that writes more makes up what they came to."""
_NAMED_IN_OBJECT = re.compile(r'\{\s*"\w+"\s*:\s*"@?([\w.-]+)"')


class Written(Struct, frozen=True, kw_only=True):
    """A call as the model wrote it."""

    draft: Draft
    raw: str


class CallScanner:
    """Feed it the text; it gathers the words that may be shown, and the calls."""

    def __init__(self, tools: Collection[str]) -> None:
        """`tools` are the names of what can be called: some spellings stand for other things as well."""
        self.calls: list[Written] = []
        self.cut: Written | None = None
        """The call in the middle of which the text ended."""
        self.draft = Draft()
        """What is being read, if it may become a call."""
        self.made_up = False
        """The model goes on as if its calls had been answered: nothing more of it is of use."""
        self.last_block = ""
        """The block of code behind which nothing stands."""
        self._tools = tools
        self._shown: list[str] = []
        self._held: list[str] | None = None
        self._blank_line = True
        """Nothing stands in this line yet but space and marks of a quotation."""
        self._quoted = False
        self._ticks = 0
        """Rows of backticks in this line: behind an odd one there is code."""
        self._before = ""
        self._spoke = False
        self._aftermath_chars = 0
        self._was_cut = False
        self._steps = self._document()
        next(self._steps)

    def feed(self, text: str) -> None:
        for char in text:
            if self._held is not None:
                self._held.append(char)
            self._steps.send(char)

    def finish(self, *, cut: bool = False) -> None:
        """The text is over; `cut`: not by its own will, so that a call without its end is none."""
        self._was_cut = cut
        try:
            while True:
                self._steps.send("")
        except StopIteration:
            return

    def take_shown(self) -> str:
        """Words that have come since this was last asked. None of them stand behind a call."""
        shown = "".join(self._shown)
        self._shown.clear()
        return shown

    # --- words ----------------------------------------------------------------------------------

    def _document(self) -> Steps:
        char = yield
        while char:
            if char == "`" or (char == "~" and self._blank_line):
                char = yield from self._marks(char)
            elif char in "<{[" and self._ticks % 2 == 0 and not self._quoted:
                char = yield from self._candidate(char)
            else:
                self._say(char)
                char = yield
        return char

    def _say(self, char: str) -> None:
        if not self.calls:
            self._shown.append(char)
        if char == "\n":
            self._blank_line, self._quoted, self._ticks = True, False, 0
        elif char == "`" and self._before != "`":
            self._ticks += 1
        self._before = char
        if char in SPACE:
            return
        if char == ">" and self._blank_line:
            self._quoted = True
        else:
            self._blank_line = False
        self._spoke = True
        self.last_block = ""
        self._aftermath_chars += bool(self.calls)
        self.made_up = self.made_up or self._aftermath_chars > _AFTERMATH_CHARS

    def _marks(self, mark: str) -> Steps:
        """Three marks or more open a block: at the beginning of a line, or behind words at its end."""
        begins_line, inside_code = self._blank_line, self._ticks % 2 == 1
        opening, char = yield from self._run(mark)
        if len(opening) < 3 or inside_code:
            return char
        if not begins_line:
            kind, char = yield from self._rest_of_line(char, stop=mark)
            if char not in ("", "\n") or " " in kind.strip():
                return char
        return (yield from self._block(opening, char))

    def _block(self, opening: str, char: str) -> Steps:
        """Code up to a line that holds nothing but as many marks; it may be missing."""
        mark = opening[0]
        inside: list[str] = []
        while char:
            if char != mark or not self._blank_line:
                self._say(char)
                inside.append(char)
                char = yield
                continue
            closing, char = yield from self._run(mark)
            rest, char = yield from self._rest_of_line(char)
            if len(closing) >= len(opening) and not rest.strip():
                break
            inside.append(closing + rest)
        self._ticks = 0
        self.last_block = "".join(inside).partition("\n")[2]
        return char

    def _rest_of_line(self, char: str, stop: str = "") -> Generator[None, str, tuple[str, str]]:
        """What stands before the end of the line, or before `stop`; and the character behind it."""
        rest: list[str] = []
        while char and char not in ("\n", stop):
            self._say(char)
            rest.append(char)
            char = yield
        return "".join(rest), char

    def _run(self, mark: str) -> Generator[None, str, tuple[str, str]]:
        """The same character, several times."""
        char, length = mark, 0
        while char == mark:
            self._say(char)
            length += 1
            char = yield
        return mark * length, char

    def _thought(self, char: str) -> Steps:
        """Up to the tag that ends it."""
        _inside, char = yield from self._through("</think", char)
        return char

    def _code(self, tag: str, char: str, *, begins_line: bool) -> Steps:
        """Up to the tag that ends it; behind words, and before some, at most to the end of the line."""
        _attributes, char = yield from self._rest_of_line(char, stop=">")
        if char == ">":
            self._say(char)
            char = yield
        within_line = not begins_line and char != "\n"
        end = tag.replace("<", "</") + ">"
        inside, char = yield from self._through(end, char, stop="\n" if within_line else "")
        self.last_block = inside.removesuffix(end)
        return char

    def _comment(self, char: str) -> Steps:
        """Behind `<!`, where something else may stand as well."""
        dashes = ""
        while char == "-" and len(dashes) < len("--"):
            self._say(char)
            dashes += char
            char = yield
        if dashes == "--":
            _inside, char = yield from self._through("-->", char)
        return char

    def _through(self, end: str, char: str, stop: str = "") -> Generator[None, str, tuple[str, str]]:
        """What stands up to and with `end`, which may be missing, or before `stop`."""
        inside: list[str] = []
        tail = ""
        while char and char != stop and tail != end:
            self._say(char)
            inside.append(char)
            tail = (tail + char.lower())[-len(end) :]
            char = yield
        self._ticks = 0
        return "".join(inside), char

    # --- what may be a call ---------------------------------------------------------------------

    def _candidate(self, first: str) -> Steps:
        began, begins_line = not self._spoke, self._blank_line
        read = self._reader_for(first)
        if read is None:
            self._say(first)
            return (yield)
        self._held, self.draft = [first], Draft()
        char = yield from read(self.draft)
        raw = "".join(self._held[: len(self._held) - len(char)])
        self._held = None
        if not self._takes(Written(draft=self.draft, raw=raw)):
            for released in raw:
                self._say(released)
            self.draft = Draft()
            if began and (raw + char).lower() in _THOUGHTS:
                return (yield from self._thought(char))
            if raw.lower() in _CODE_TAGS and (char in SPACE or char == ">"):
                return (yield from self._code(raw.lower(), char, begins_line=begins_line))
            if raw + char == "<!":
                self._say(char)
                return (yield from self._comment((yield)))
        self.draft = Draft()
        return char

    def _reader_for(self, first: str) -> Callable[[Draft], Steps] | None:
        if first == "<":
            return read_tag
        # Where there are tags, other spellings are something else.
        if not self._blank_line or any(call.raw[0] == "<" for call in self.calls[:1]):
            return None
        return read_object if first == "{" else read_bracket

    def _takes(self, written: Written) -> bool:
        draft = written.draft
        if draft.verdict == "result":
            self.made_up = bool(self.calls)
            return self.made_up
        if draft.verdict == "cut" or (draft.unclosed and self._was_cut):
            return self._takes_cut(written)
        if draft.verdict == "call" and self._is_meant(draft):
            self.calls.append(written)
            self._aftermath_chars = 0
            return True
        return False

    def _takes_cut(self, written: Written) -> bool:
        draft = written.draft
        if draft.spelling == "{" and (named := _NAMED_IN_OBJECT.match(written.raw)):
            draft.name = named[1]
        if draft.spelling == "tool_call" or self._is_known(draft.name):
            self.cut = written
        return self.cut is not None

    def _is_meant(self, draft: Draft) -> bool:
        if draft.spelling == "tool_call":
            return True
        if draft.spelling == "{":
            found = envelope(draft.arguments or "")
            return found is not None and self._is_known(found[0])
        return self._is_known(draft.name)

    def _is_known(self, name: str) -> bool:
        return name.removeprefix("@") in self._tools
