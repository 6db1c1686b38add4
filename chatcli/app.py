"""The command line: flags and subcommands, routed to the REPL, to one shot, or to a subcommand.

Only typer is imported here; whatever a command needs is imported when it runs. The texts of `--help`
are looked up during the import: `chatcli.__main__` has chosen the language by then.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from chatcli.i18n import _
from chatcli.terminal.commands_cli.register import register
from chatcli.terminal.failure import explained
from chatcli.terminal.helptext import own_words
from chatcli.terminal.misuse import misuse

if TYPE_CHECKING:
    from chatcli.agent.start import Start

app = typer.Typer(
    name="chatcli",
    help=_("A terminal agent that never loses a byte and never wastes a token."),
    epilog=_(
        "Without TEXT and with a terminal: the REPL. TEXT may start with /chat, /agent, /run or /coder."
    ),
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Prompt = Annotated[str | None, typer.Option("-p", "--prompt", help=_("One shot: answer TEXT and leave."))]
ModeFlag = Annotated[str, typer.Option("--mode", help=_("chat, agent or coder."))]
ProviderFlag = Annotated[
    str, typer.Option("--provider", help=_("Provider, for instance CLAUDEAI or OLLAMA."))
]
ModelFlag = Annotated[str, typer.Option("--model", help=_("Model id."))]
Folder = Annotated[str, typer.Option("--cwd", help=_("Folder to work in."))]
TrustFlag = Annotated[bool, typer.Option("--trust", help=_("Trust this folder's settings and rules."))]
OutputFlag = Annotated[str, typer.Option("--output", help=_("One shot: text, json or jsonl."))]
MaxTurns = Annotated[int, typer.Option("--max-turns", help=_("Turns before the run stops."), min=0)]
MaxCost = Annotated[float, typer.Option("--max-cost", help=_("USD the session may cost."), min=0.0)]
Debug = Annotated[bool, typer.Option("--debug", help=_("Write more to the log file."))]
Approve = Annotated[str, typer.Option("--approve", help=_("Runs without asking: plan, ask, edits or all."))]
Allow = Annotated[list[str] | None, typer.Option("--allow", help=_("Allow ahead, e.g. 'exec:pytest *'."))]
Continue = Annotated[bool, typer.Option("--continue", help=_("Go on with this folder's last session."))]
Resume = Annotated[str, typer.Option("--resume", help=_("Go on with session ID."))]
Assign = Annotated[list[str] | None, typer.Option("--set", help=_("Any setting, for this run: NAME=VALUE."))]
Version = Annotated[bool, typer.Option("--version", "-V", help=_("Show the version and leave."))]


@app.callback(invoke_without_command=True)
def main(
    context: typer.Context,
    prompt: Prompt = None,
    mode: ModeFlag = "",
    provider: ProviderFlag = "",
    model: ModelFlag = "",
    cwd: Folder = "",
    trust: TrustFlag = False,
    output: OutputFlag = "text",
    max_turns: MaxTurns = 0,
    max_cost: MaxCost = 0.0,
    approve: Approve = "",
    allow: Allow = None,
    continue_: Continue = False,
    resume: Resume = "",
    set_: Assign = None,
    debug: Debug = False,
    version: Version = False,
) -> None:
    if version:
        from chatcli import __version__

        typer.echo(f"chatcli {__version__}")
        return
    from chatcli.agent.start import Start

    start = Start(
        provider=provider,
        model=model,
        folder=cwd,
        mode=mode,
        trust=trust,
        autonomy=approve,
        allow=tuple(allow or ()),
        resume=resume or ("latest" if continue_ else ""),
        assignments=tuple(set_ or ()),
        max_turns=max_turns,
        max_cost_usd=max_cost,
        debug=debug,
    )
    context.obj = start
    if context.invoked_subcommand is None:
        raise typer.Exit(_converse(start, prompt, output))


def _converse(start: Start, prompt: str | None, output: str) -> int:
    if prompt is None and sys.stdin.isatty():
        from chatcli.terminal.repl import run_repl

        return run_repl(start, environment=os.environ)
    from chatcli.terminal.oneshot import run_oneshot

    return run_oneshot(start, prompt, output=output, environment=os.environ)


register(app)


def run(arguments: Sequence[str]) -> int:
    """Run the command line; the exit code."""
    return explained(lambda: _run(arguments))


def _run(arguments: Sequence[str]) -> int:
    try:
        with own_words(arguments):
            code = app(args=list(arguments), prog_name="chatcli", standalone_mode=False)
    except typer.TyperException as error:
        raise misuse(error) from error
    return code if isinstance(code, int) else 0
