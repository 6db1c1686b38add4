"""Hangs the subcommands into the command line. Each imports what it needs when it runs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from chatcli.i18n import _

if TYPE_CHECKING:
    from chatcli.terminal.commands_cli.place import Place

OutputForm = Annotated[str, typer.Option("--output", help=_("text or json."))]

config = typer.Typer(
    help=_("Settings: values and where they come from."), invoke_without_command=True, rich_markup_mode=None
)
sessions = typer.Typer(
    help=_("Sessions that can be gone on with."), invoke_without_command=True, rich_markup_mode=None
)


auth = typer.Typer(
    help=_("Keys: log in, see where they come from, log out."), no_args_is_help=True, rich_markup_mode=None
)


local = typer.Typer(
    help=_("Models that run on this machine."), invoke_without_command=True, rich_markup_mode=None
)


def register(app: typer.Typer) -> None:
    """Add every subcommand to the application."""
    for command, help in (
        (setup, _("Connect a provider: paste a key, one check, done.")),
        (tour, _("Two minutes on this folder; changes nothing of yours.")),
        (tools, _("What the model is offered.")),
        (plugins, _("Where the tools come from.")),
        (models, _("Models of a provider with window and price.")),
        (trust, _("Let a folder's own settings and rules take effect.")),
        (replay, _("What a session would have cost with other settings.")),
        (doctor, _("What is installed, what is missing, and how to mend it.")),
    ):
        app.command(help=help)(command)
    app.add_typer(auth, name="auth")
    app.add_typer(local, name="local")
    app.add_typer(sessions, name="sessions")
    app.add_typer(config, name="config")


def setup(
    context: typer.Context,
    provider: Annotated[str, typer.Option("--provider", help=_("Which one; empty: asked."))] = "",
    model: Annotated[str, typer.Option("--model", help=_("Model id; empty: the usual one."))] = "",
    allow_file: Annotated[
        bool, typer.Option("--allow-file", help=_("Without a keyring, use a 0600 file."))
    ] = False,
) -> None:
    from chatcli.terminal.commands_cli.setup import run_setup

    raise typer.Exit(run_setup(_place(context), provider=provider, model=model, allow_file=allow_file))


def tour(
    context: typer.Context, yes: Annotated[bool, typer.Option("--yes", "-y", help=_("Ask nothing."))] = False
) -> None:
    from chatcli.terminal.commands_cli.tour import run_tour

    raise typer.Exit(run_tour(_place(context), yes=yes))


def tools(context: typer.Context, output: OutputForm = "text") -> None:
    from chatcli.terminal.commands_cli.tools import list_tools

    raise typer.Exit(list_tools(_place(context), output=_form(output)))


def plugins(context: typer.Context, output: OutputForm = "text") -> None:
    from chatcli.terminal.commands_cli.tools import list_plugins

    raise typer.Exit(list_plugins(_place(context), output=_form(output)))


def models(
    context: typer.Context,
    word: Annotated[str, typer.Argument(help=_("Only ids that hold this."))] = "",
    provider: Annotated[str, typer.Option("--provider", help=_("Whose; empty: the one in use."))] = "",
    fresh: Annotated[bool, typer.Option("--refresh", help=_("Ask the service for its list first."))] = False,
    import_: Annotated[str, typer.Option("--import", help=_("Keep an exported assistant (JSON file)."))] = "",
    output: OutputForm = "text",
) -> None:
    from chatcli.terminal.commands_cli.models import keep_assistant, list_models

    place = _place(context)
    if import_:
        raise typer.Exit(keep_assistant(place, import_))
    shown = list_models(place, provider=provider, word=word, fresh=fresh, output=_form(output))
    raise typer.Exit(shown)


def trust(
    context: typer.Context,
    folder: Annotated[str, typer.Argument(help=_("Folder; empty: this one."))] = "",
    list_: Annotated[bool, typer.Option("--list", help=_("Show what is trusted."))] = False,
    revoke: Annotated[bool, typer.Option("--revoke", help=_("Trust it no longer."))] = False,
) -> None:
    from chatcli.terminal.commands_cli import trust as command

    place = _place(context)
    if list_:
        raise typer.Exit(command.list_trusted(place))
    raise typer.Exit(command.revoke(place, folder) if revoke else command.trust_folder(place, folder))


def replay(
    context: typer.Context,
    session: Annotated[str, typer.Argument(help=_("Id of a session, or a transcript (.jsonl)."))],
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help=_("Any setting; repeatable."))
    ] = None,
    compare: Annotated[
        str, typer.Option("--compare", help=_("Schedules, separated by commas: auto,eager,off."))
    ] = "",
    provider: Annotated[str, typer.Option("--provider", help=_("Whose prices; empty: who answered."))] = "",
    model: Annotated[str, typer.Option("--model", help=_("Whose prices; empty: what answered."))] = "",
    output: OutputForm = "text",
) -> None:
    from chatcli.terminal.commands_cli.replay import show_replay

    code = show_replay(
        _place(context),
        session,
        compare=compare,
        assignments=set_ or (),
        provider=provider,
        model=model,
        output=_form(output),
    )
    raise typer.Exit(code)


def doctor(
    context: typer.Context,
    live: Annotated[bool, typer.Option("--live", help=_("Ask the provider too: one tiny request."))] = False,
    output: OutputForm = "text",
) -> None:
    from chatcli.terminal.commands_cli.doctor import examine

    raise typer.Exit(examine(_place(context), output=_form(output), live=live))


@auth.command("login", help=_("Ask for a key (or GitHub, for COPILOT), check it, keep it."))
def auth_login(
    context: typer.Context,
    provider: Annotated[str, typer.Argument(help=_("Which one; empty: asked."))] = "",
    allow_file: Annotated[
        bool, typer.Option("--allow-file", help=_("Without a keyring, use a 0600 file."))
    ] = False,
) -> None:
    from chatcli.terminal.commands_cli.auth import log_in

    raise typer.Exit(log_in(_place(context), provider, allow_file=allow_file))


@auth.command("status", help=_("Where the keys come from; never the keys."))
def auth_status(
    context: typer.Context,
    provider: Annotated[str, typer.Argument(help=_("Which one; empty: all that have a key."))] = "",
    output: OutputForm = "text",
) -> None:
    from chatcli.terminal.commands_cli.auth import show_status

    raise typer.Exit(show_status(_place(context), provider, output=_form(output)))


@auth.command("logout", help=_("Forget what chatcli keeps."))
def auth_logout(
    context: typer.Context,
    provider: Annotated[str, typer.Argument(help=_("Of which provider."))] = "",
    everything: Annotated[bool, typer.Option("--all", help=_("Of all of them."))] = False,
) -> None:
    from chatcli.terminal.commands_cli.auth import log_out

    raise typer.Exit(log_out(_place(context), provider, everything=everything))


@sessions.callback(invoke_without_command=True)
def sessions_show(
    context: typer.Context,
    everywhere: Annotated[bool, typer.Option("--all", help=_("Of all folders."))] = False,
    output: OutputForm = "text",
) -> None:
    if context.invoked_subcommand is None:
        from chatcli.terminal.commands_cli.sessions import show_sessions

        raise typer.Exit(show_sessions(_place(context), output=_form(output), everywhere=everywhere))


@sessions.command("delete", help=_("Remove a session with everything it archived."))
def sessions_delete(context: typer.Context, session_id: Annotated[str, typer.Argument(metavar="ID")]) -> None:
    from chatcli.terminal.commands_cli.sessions import delete_session

    raise typer.Exit(delete_session(_place(context), session_id))


@sessions.command("repair", help=_("Open again what is intact of a session with a damaged file."))
def sessions_repair(context: typer.Context, session_id: Annotated[str, typer.Argument(metavar="ID")]) -> None:
    from chatcli.terminal.commands_cli.sessions import repair_session

    raise typer.Exit(repair_session(_place(context), session_id))


@sessions.command("cost", help=_("What a session has cost, and why a cache was lost."))
def sessions_cost(
    context: typer.Context,
    session_id: Annotated[str, typer.Argument(metavar="ID", help=_("Empty: the last of this folder."))] = "",
    why: Annotated[bool, typer.Option("--why", help=_("The lost caches alone."))] = False,
    html: Annotated[str, typer.Option("--html", metavar="FILE", help=_("Write a page with charts."))] = "",
    force: Annotated[bool, typer.Option("--force", help=_("Replace FILE if it exists."))] = False,
    output: OutputForm = "text",
) -> None:
    from chatcli.terminal.commands_cli.cost import show_cost

    place, form = _place(context), _form(output)
    raise typer.Exit(show_cost(place, session_id, why=why, html=html, force=force, output=form))


@local.callback(invoke_without_command=True)
def local_show(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        local_list(context)


@local.command("list", help=_("Models that are here."))
def local_list(context: typer.Context, output: OutputForm = "text") -> None:
    from chatcli.terminal.commands_cli.local import list_kept

    raise typer.Exit(list_kept(_place(context), output=_form(output)))


@local.command("get", help=_("Fetch a model: a small one to try, or any by its address."))
def local_get(
    context: typer.Context,
    wanted: Annotated[
        str, typer.Argument(metavar="NAME|URL", help=_("Empty: SmolLM2-135M-Instruct, 93 MB."))
    ] = "",
    sha256: Annotated[str, typer.Option("--sha256", help=_("Of the file behind an address."))] = "",
) -> None:
    from chatcli.terminal.commands_cli.local import get_model

    raise typer.Exit(get_model(_place(context), wanted, sha256))


@config.callback(invoke_without_command=True)
def config_show(context: typer.Context, output: OutputForm = "text") -> None:
    if context.invoked_subcommand is None:
        from chatcli.terminal.commands_cli.config import show_config

        raise typer.Exit(show_config(_place(context), output=_form(output)))


@config.command("explain", help=_("Meaning, bounds and origin of one setting."))
def config_explain(context: typer.Context, name: str) -> None:
    from chatcli.terminal.commands_cli.config import explain

    raise typer.Exit(explain(_place(context), name))


@config.command("set", help=_("Write one setting into your settings.toml."))
def config_set(context: typer.Context, name: str, value: str) -> None:
    from chatcli.terminal.commands_cli.config import set_value

    raise typer.Exit(set_value(_place(context), name, value))


@config.command("unset", help=_("Take one setting out of your settings.toml."))
def config_unset(context: typer.Context, name: str) -> None:
    from chatcli.terminal.commands_cli.config import unset_value

    raise typer.Exit(unset_value(_place(context), name))


@config.command("path", help=_("Where the settings files are."))
def config_path(context: typer.Context) -> None:
    from chatcli.terminal.commands_cli.config import show_paths

    raise typer.Exit(show_paths(_place(context)))


def _place(context: typer.Context) -> Place:
    from chatcli.terminal.commands_cli.place import here
    from chatcli.terminal.commands_cli.used import speak_language

    place = here(os.environ, context.obj.folder)
    speak_language(place)
    return place


def _form(output: str) -> str:
    """Raises UsageError for a form of output that does not exist."""
    if output in {"text", "json"}:
        return output
    from chatcli.errors import UsageError

    raise UsageError(_("--output is text or json, not {given!r}.").format(given=output))
