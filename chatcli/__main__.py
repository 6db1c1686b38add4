"""The way in. `--version` is answered before anything else is imported."""

import os
import sys


def main() -> None:
    if sys.argv[1:] in (["--version"], ["-V"]):
        from chatcli import __version__

        sys.stdout.write(f"chatcli {__version__}\n")
        return
    from chatcli.i18n import choose_language, set_language

    set_language(choose_language(os.environ.get("CHATCLI_LANG", ""), os.environ))
    from chatcli.app import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
