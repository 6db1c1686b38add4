"""Hangs the subcommands into the command line. Each imports what it needs when it runs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from chatcli.terminal.commands_cli.place import Place

OutputForm = Annotated[str, typer.Option("--output", help="text or json.")]


def register(app: typer.Typer) -> None:
    """Add every subcommand to the application."""
    app.command("trust")(trust)
    config.command("explain")(config_explain)
    config.command("set")(config_set)
    config.command("unset")(config_unset)
    config.command("path")(config_path)
    app.add_typer(config, name="config")


config = typer.Typer(
    help="Settings: values and where they come from.", invoke_without_command=True, rich_markup_mode=None
)


@config.callback(invoke_without_command=True)
def config_show(context: typer.Context, output: OutputForm = "text") -> None:
    if context.invoked_subcommand is None:
        from chatcli.terminal.commands_cli.config import show_config

        raise typer.Exit(show_config(_place(context), output=output))


def config_explain(context: typer.Context, name: str) -> None:
    """Meaning, bounds and origin of one setting."""
    from chatcli.terminal.commands_cli.config import explain

    raise typer.Exit(explain(_place(context), name))


def config_set(context: typer.Context, name: str, value: str) -> None:
    """Write one setting into your settings.toml."""
    from chatcli.terminal.commands_cli.config import set_value

    raise typer.Exit(set_value(_place(context), name, value))


def config_unset(context: typer.Context, name: str) -> None:
    """Take one setting out of your settings.toml."""
    from chatcli.terminal.commands_cli.config import unset_value

    raise typer.Exit(unset_value(_place(context), name))


def config_path(context: typer.Context) -> None:
    """Where the settings files are."""
    from chatcli.terminal.commands_cli.config import show_paths

    raise typer.Exit(show_paths(_place(context)))


def trust(
    context: typer.Context,
    folder: Annotated[str, typer.Argument(help="Folder; empty: this one.")] = "",
    list_: Annotated[bool, typer.Option("--list", help="Show what is trusted.")] = False,
    revoke: Annotated[bool, typer.Option("--revoke", help="Trust it no longer.")] = False,
) -> None:
    """Let a folder's own settings and rules take effect."""
    from chatcli.terminal.commands_cli import trust as command

    place = _place(context)
    if list_:
        raise typer.Exit(command.list_trusted(place))
    raise typer.Exit(command.revoke(place, folder) if revoke else command.trust_folder(place, folder))


def _place(context: typer.Context) -> Place:
    from chatcli.terminal.commands_cli.place import here

    return here(os.environ, context.obj.folder)
