"""What a child may see: canaries in everything that must not reach it."""

from __future__ import annotations

import os
import subprocess

import pytest

from chatcli.gate.environment import child_environment

CANARY = "canary-7f3a"
HIDDEN = [
    *("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN"),
    *("GH_TOKEN", "HF_TOKEN", "NPM_TOKEN", "DATABASE_URL", "CHATCLI_HOME", "LLM_PROVIDER", "SOME_PASSWORD"),
    *("LD_PRELOAD", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "ENV", "PROMPT_COMMAND", "PS4"),
    *("PYTHONSTARTUP", "PYTHONHOME", "NODE_OPTIONS", "PERL5OPT", "RUBYOPT", "JAVA_TOOL_OPTIONS", "GIT_DIR"),
    *(
        "GIT_SSH_COMMAND",
        "GIT_EXTERNAL_DIFF",
        "GIT_CONFIG_COUNT",
        "EDITOR",
        "LESSOPEN",
        "RIPGREP_CONFIG_PATH",
    ),
    *(
        "BASH_FUNC_ls%%",
        "IFS",
        "CDPATH",
        "SHELLOPTS",
        "GREP_OPTIONS",
        "DBUS_SESSION_BUS_ADDRESS",
        "MAKEFLAGS",
    ),
]


def test_no_canary_reaches_a_child() -> None:
    base = dict.fromkeys(HIDDEN, CANARY) | {
        "PATH": os.environ["PATH"],
        "BASH_FUNC_ls%%": f"() {{ {CANARY}; }}",
    }
    seen = child_environment(base, {"CHATCLI_AGENT_TMPDIR": "/scratch"})
    shown = subprocess.run(["env"], env=seen, capture_output=True, text=True, check=True).stdout
    assert CANARY not in shown
    assert "CHATCLI_AGENT_TMPDIR=/scratch" in shown


def test_what_programs_need_is_kept() -> None:
    base = {
        "PATH": "/usr/bin",
        "HOME": "/h",
        "LANG": "pt_BR.UTF-8",
        "LC_TIME": "C",
        "TERM": "xterm",
        "VIRTUAL_ENV": "/v",
        "GOPATH": "/g",
        "SSL_CERT_FILE": "/c",
    }
    assert base.items() <= child_environment(base, {}).items()


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/usr/bin:/bin", "/usr/bin:/bin"),
        (":/usr/bin::.:bin:./x:/bin:", "/usr/bin:/bin"),
    ],
)
def test_no_entry_of_the_search_path_depends_on_the_folder(path: str, expected: str) -> None:
    assert child_environment({"PATH": path}, {})["PATH"] == expected


@pytest.mark.parametrize("path", ["", ".", ":"])
def test_an_empty_search_path_becomes_the_one_of_the_system(path: str) -> None:
    entries = child_environment({"PATH": path}, {})["PATH"].split(":")
    assert all(entry.startswith("/") for entry in entries)


def test_a_proxy_is_kept_unless_it_carries_a_password() -> None:
    kept = child_environment(
        {
            "HTTPS_PROXY": "http://proxy:3128",
            "http_proxy": "proxy:3128",
            "HTTP_PROXY": f"http://user:{CANARY}@proxy:3128",
            "ALL_PROXY": f"user:{CANARY}@proxy",
        },
        {},
    )
    assert kept["HTTPS_PROXY"] == "http://proxy:3128"
    assert kept["http_proxy"] == "proxy:3128"
    assert CANARY not in str(kept)
