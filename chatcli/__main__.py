"""The way in. Common starts are answered before the command line is built.

`--version` needs nothing at all, and the bare command at a terminal needs no flags: both skip
typer, which alone costs as much as the prompt may.
"""

import os
import sys


def main() -> None:
    _open_missing_streams()
    arguments = sys.argv[1:]
    if arguments in (["--version"], ["-V"]):
        from chatcli import __version__

        sys.stdout.write(f"chatcli {__version__}\n")
        return
    from chatcli.i18n import choose_language, set_language

    set_language(choose_language(os.environ.get("CHATCLI_LANG", ""), os.environ))
    for stream in (sys.stdout, sys.stderr):
        # Answers may hold any character, whatever the locale can encode.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    sys.exit(_repl() if not arguments and sys.stdin.isatty() else _command_line(arguments))


def _open_missing_streams() -> None:
    """For a start with stdin, stdout or stderr closed: the next file that is opened would take its place.

    That file may be a journal, and a child's errors would go into it.
    """
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(number, True)
    os.close(number)
    sys.stdin = sys.stdin or os.fdopen(0, "r", encoding="utf-8", closefd=False)
    sys.stdout = sys.stdout or os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", encoding="utf-8", closefd=False)


def _repl() -> int:
    from chatcli.agent.start import Start
    from chatcli.terminal.failure import explained
    from chatcli.terminal.repl import run_repl

    return explained(lambda: run_repl(Start(), environment=os.environ))


def _command_line(arguments: list[str]) -> int:
    from chatcli.app import run

    return run(arguments)


if __name__ == "__main__":
    if not sys.flags.safe_path:
        # `python -m chatcli` would also import from the folder it is started in, where a project
        # could have planted modules.
        del sys.path[0]
    main()
