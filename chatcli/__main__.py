"""The way in. `--version` is answered before anything else is imported."""

import sys


def main() -> None:
    if sys.argv[1:] in (["--version"], ["-V"]):
        from chatcli import __version__

        sys.stdout.write(f"chatcli {__version__}\n")
        return
    from chatcli.app import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
