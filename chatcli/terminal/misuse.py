"""A command line that typer does not understand, told as chatcli tells all errors: one line and a hint."""

from __future__ import annotations

import difflib
import re
from typing import Any

from chatcli.errors import UsageError
from chatcli.i18n import _

_NO_COMMAND = re.compile(r"No such command '(.*?)'\.")
_TOO_MUCH = re.compile(r"Got unexpected extra argument\(?s?\)? \((.*)\)")
_NO_VALUE = re.compile(r"Option '(.*)' requires an argument\.")
_NO_NUMBER = re.compile(r"Invalid value for '(.*)': '(.*)' is not a valid (?:int|float).*")
_OUT_OF_RANGE = re.compile(r"Invalid value for '(.*)': (.*) is not in the range x(.*)\.")
_HELP = "Usage: "
"""What is told for a group of commands without any."""


def misuse(error: Any) -> UsageError:
    """`error` is a usage error of typer, whose classes are no part of what it offers."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "chatcli"
    hint = _("{command} -h shows how it is used.").format(command=command)
    return UsageError(_told(error, context), hint=hint)


def _told(error: Any, context: Any) -> str:
    message = str(error.format_message())
    if hasattr(error, "possibilities"):
        text = _("There is no option {name}.").format(name=error.option_name)
        return text + _suggested((error.possibilities or [""])[0])
    if found := _NO_COMMAND.match(message):
        near = difflib.get_close_matches(found[1], context.command.commands, n=1)
        return _("There is no command {name}.").format(name=found[1]) + _suggested((near or [""])[0])
    if message.startswith(_HELP):
        names = ", ".join(context.command.commands)
        return _("{command} needs one of its commands: {names}.").format(
            command=context.command_path, names=names
        )
    if context and " auth " in context.command_path and _TOO_MUCH.match(message):
        return _("This is too much: a key is typed when it is asked for, where nobody can read it.")
    if hasattr(error, "param_type"):
        return _("{name} is missing.").format(name=error.param.make_metavar(context).strip("{}[]"))
    return _about_a_value(message)


def _about_a_value(message: str) -> str:
    if found := _TOO_MUCH.match(message):
        return _("This is too much: {words}").format(words=found[1])
    if found := _NO_VALUE.match(message):
        return _("{name} needs a value.").format(name=found[1])
    if found := _NO_NUMBER.match(message):
        return _("{name} must be a number, not {value}.").format(name=found[1], value=found[2])
    if found := _OUT_OF_RANGE.match(message):
        return _("{name} must be {bound}, not {value}.").format(name=found[1], bound=found[3], value=found[2])
    return message


def _suggested(name: str) -> str:
    return " " + _("Did you mean {name}?").format(name=name) if name else ""
