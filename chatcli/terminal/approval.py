"""What is asked before something runs or is written, and how an answer is read.

The card shows everything that will happen: the whole command, every path, the diff. It is printed
above the input, so that it stays in the scrollback. An answer is a line: only a clear yes allows.
"""

from __future__ import annotations

from collections.abc import Sequence

from chatcli.gate.questions import Answer, Choice, Question
from chatcli.gate.screen import exact_text, hidden_characters, one_line
from chatcli.i18n import _, ngettext
from chatcli.terminal.cells import behind, clip, fill, wrap
from chatcli.terminal.diff import count_changes, diff_head
from chatcli.terminal.look import Look

_FEWEST_DIFF_ROWS = 6
_ROWS_AROUND_DIFF = 12
_ROWS_BELOW = 3
"""Of the choices, the input and the status line."""
_REASONS_OF_A_KIND = 3


def approval_card(question: Question, columns: int, rows: int, look: Look) -> list[str]:
    """The lines of the card; `rows` is the height of the screen."""
    lines = ["", look.paint(clip(f"▌ {one_line(question.title)}", columns), "warn")]
    if question.kind == "command":
        for number, line in enumerate(question.subject.split("\n")):
            lines += _whole(exact_text(line), columns, "> " if number else "$ ")
        lines += _hidden(question.subject, columns, look)
    else:
        for path in question.subject.split("\n"):
            lines += _whole(exact_text(path), columns, "  ")
    if question.detail:
        added, removed = count_changes(question.detail)
        height = max(rows - _ROWS_AROUND_DIFF, _FEWEST_DIFF_ROWS)
        how = _("answer {key} to see them").format(key=_key(_view_label()))
        lines += diff_head(question.detail, columns, height, look, how)
        lines.append(look.paint(f"+{added} -{removed}", "dim"))
    for reason in _few_of_each(question.reasons):
        lines += [look.paint(row, "warn") for row in behind("! ", fill(one_line(reason), columns - 2))]
    if question.rule:
        rule = _("{session} and {project} add the rule {rule}").format(
            session=_key(_session_label()),
            project=_key(_project_label()),
            rule=exact_text(str(question.rule)),
        )
        lines += [look.paint(row, "dim") for row in _whole(rule, columns, "  ")]
    if len(lines) > rows - _ROWS_BELOW:
        text = _("This question has {n} rows: it begins above the screen.").format(n=len(lines))
        lines += [look.paint(row, "warn") for row in behind("! ", fill(text, columns - 2))]
    return lines


def _few_of_each(reasons: Sequence[str]) -> list[str]:
    """Every kind of reason, but not every file that it holds for: they must not hide the command."""
    kinds: dict[str, list[str]] = {}
    for reason in reasons:
        kinds.setdefault(reason.partition(": ")[0], []).append(reason)
    few = []
    for alike in kinds.values():
        few += alike[:_REASONS_OF_A_KIND]
        if (others := len(alike) - _REASONS_OF_A_KIND) > 0:
            few[-1] += " " + _("… {n} more").format(n=others)
    return few


def choices(question: Question) -> str:
    """The answers that this question takes, each with its key first."""
    labels = [_once_label()]
    if question.rule:
        labels += [_session_label(), _project_label()]
    labels.append(_deny_label())
    if question.detail:
        labels.append(_view_label())
    return " · ".join(labels)


def wants_view(question: Question, line: str) -> bool:
    return bool(question.detail) and line.strip().lower() == _key(_view_label())


def read_answer(question: Question, line: str) -> Answer:
    """Only a whole key or word allows. Anything else is a denial with these words as its reason.

    `y` and `n` count in every language: nobody gives them as a reason.
    """
    word = line.strip()
    yes: dict[str, Choice] = {"y": "once", "yes": "once", _key(_once_label()): "once", _("yes"): "once"}
    if question.rule:
        yes |= {_key(_session_label()): "session", _key(_project_label()): "project"}
    if choice := yes.get(word.lower()):
        return Answer(choice)
    return Answer("deny", "" if word.lower() in {"n", "no", _key(_deny_label()), _("no")} else word)


def is_yes(line: str) -> bool:
    """The answer to a plain yes-or-no question: only a whole word of consent is one."""
    return line.strip().lower() in {"y", "yes", _("y"), _("yes")}


def yes_or_no(question: str) -> str:
    """The question with the answers that it takes: Enter alone is a no."""
    return question + " " + _("[y/N]")


def outcome_line(answer: Answer, columns: int, look: Look) -> str:
    """What was answered, for the scrollback."""
    match answer.choice:
        case "once":
            text = _("allowed once")
        case "session":
            text = _("allowed for this session")
        case "project":
            text = _("allowed for this project")
        case "deny":
            text = _("denied")
        case "cancel":
            text = _("cancelled")
    if answer.reason:
        text = f"{text}: {one_line(answer.reason)}"
    return look.paint(clip(f"→ {text}", columns), "bad" if answer.choice in {"deny", "cancel"} else "good")


# The first word of each label is its key, so that a translation moves both together.


def _once_label() -> str:
    return _("y once")


def _session_label() -> str:
    return _("s this session")


def _project_label() -> str:
    return _("p this project")


def _deny_label() -> str:
    return _("n no, or say why")


def _view_label() -> str:
    return _("v view all")


def _key(label: str) -> str:
    return label.split(maxsplit=1)[0]


def _whole(text: str, columns: int, lead: str) -> list[str]:
    """Exact text, broken at the right edge, nothing left out."""
    return behind(lead, wrap(text, max(columns - len(lead), 1)))


def _hidden(subject: str, columns: int, look: Look) -> list[str]:
    count = hidden_characters(subject)
    if not count:
        return []
    text = ngettext(
        "{n} character is not what it seems; it is shown as a symbol.",
        "{n} characters are not what they seem; they are shown as symbols.",
        count,
    ).format(n=count)
    return [look.paint(row, "warn") for row in behind("! ", fill(text, columns - 2))]
