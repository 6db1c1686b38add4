"""Where something is: its definition, files that are called like it, lines that mention it."""

from __future__ import annotations

import re

from chatcli.i18n import _, ngettext
from chatcli.providers.offline import calls
from chatcli.providers.offline.draft import Call
from chatcli.providers.offline.plans.find import told
from chatcli.providers.offline.plans.plan import Slots, Step
from chatcli.providers.offline.quoting import bullets, code, paragraphs, trouble
from chatcli.providers.offline.results.matches import Match, Matches, read_matches
from chatcli.providers.offline.situation import Situation

_KEYWORDS = (
    "def|class|func|function|fn|struct|interface|trait|enum|type|const|let|var|val|module|package|namespace"
    "|protocol|record|sub|macro_rules!|#define"
)
_MODIFIERS = (
    r"export|default|pub(?:\([a-z]+\))?|public|private|protected|internal|static|async|abstract|final|inline"
    r"|extern|virtual|override|unsafe|declare"
)
_NAMING = re.compile(
    r"^(?:function|class|method|type|module|variable|constant|funcao|função|classe|metodo|método|tipo|modulo"
    r"|módulo|variavel|variável|constante)\s+(?=\S)",
    re.IGNORECASE,
)
_MAX_DEFINITIONS = 8
_MAX_FILES = 8
_MAX_MENTIONS = 15


def definition(situation: Situation, slots: Slots) -> Step:
    """The definition alone; when there is none, every line that mentions the name."""
    name = _bare(slots["name"])
    match situation.rounds:
        case ():
            return [_definitions(name)]
        case ((outcome,),):
            if stopped := trouble((outcome,)):
                return stopped
            found = read_matches(outcome)
            if not found.total:
                return [_mentions(name)]
            return _defined(name, found.lines)
    return trouble(situation.last) or paragraphs(
        _("I see no definition of {name}.").format(name=code(name)),
        told(code(name), read_matches(situation.last[0])),
    )


def where(situation: Situation, slots: Slots) -> Step:
    name = _bare(slots["name"])
    if not situation.rounds:
        glob = f"*{'*'.join(_words(name))}*"
        path = slots.get("path", "")
        return [_definitions(name, path), calls.files_named(glob, path), _mentions(name, path)]
    if stopped := trouble(situation.last):
        return stopped
    defined, files, mentions = (read_matches(outcome) for outcome in situation.last)
    if not (defined.total or files.names or mentions.total):
        return _("Nothing here is called {name} or mentions it.").format(name=code(name))
    return paragraphs(
        _defined(name, defined.lines),
        _files(files),
        told(code(name), mentions) if mentions.total else "",
    )


def _definitions(name: str, path: str = "") -> Call:
    declared = rf"^\s*(?:(?:{_MODIFIERS})\s+)*(?:{_KEYWORDS})\s+(?:\([^)]*\)\s*)?{_spelled(name)}\b"
    assigned = rf"^\s*{_spelled(name)}\s*(?::[^=]+)?=[^=]"
    pattern = f"{declared}|{assigned}"
    # Small letters mean: any. Somebody who types a capital means it: `Console` is not `console = ...`.
    return calls.search(pattern, path, ignore_case=name.islower(), max_results=_MAX_DEFINITIONS)


def _mentions(name: str, path: str = "") -> Call:
    """Where a word begins with it: `main` is not in `remaining`."""
    return calls.search(rf"(?:^|[^a-z]){_spelled(name)}", path, ignore_case=True, max_results=_MAX_MENTIONS)


def _spelled(name: str) -> str:
    """`retry policy` also means `retry_policy`, `retry-policy` and `RetryPolicy`."""
    return r"[\s_-]*".join(map(re.escape, _words(name)))


def _words(name: str) -> list[str]:
    return [word for word in re.split(r"[\s_-]+", name) if word] or [name]


def _bare(name: str) -> str:
    """`the function main()` is `main`."""
    return _NAMING.sub("", name).removesuffix("()")


def _defined(name: str, lines: tuple[Match, ...]) -> str:
    match lines:
        case ():
            return ""
        case (line,):
            return _("{name} is defined in {place}: {line}").format(
                name=code(name), place=code(f"{line.path}:{line.number}"), line=code(line.text)
            )
    headline = _("{name} is defined in several places:").format(name=code(name))
    return paragraphs(
        headline, bullets(f"{code(f'{line.path}:{line.number}')} {code(line.text)}" for line in lines)
    )


def _files(files: Matches) -> str:
    if not files.names:
        return ""
    text = ngettext(
        "A file is called like it: {names}", "Files are called like it: {names}", len(files.names)
    )
    names = ", ".join(code(name) for name in files.names[:_MAX_FILES])
    more = " …" if files.files > _MAX_FILES else ""
    return text.format(names=names) + more
