"""Which mode a line goes to."""

import pytest

from chatcli.agent.modes import split_mode


@pytest.mark.parametrize(
    ("line", "current", "expected"),
    [
        ("hello", "chat", ("chat", "hello")),
        ("hello", "coder", ("coder", "hello")),
        ("/agent what is here?", "chat", ("agent", "what is here?")),
        ("/coder  fix it ", "chat", ("coder", "fix it")),
        ("/chat why?", "coder", ("chat", "why?")),
        ("/run go", "chat", ("agent", "go")),
        ("/run go", "coder", ("coder", "go")),
        ("/coder", "chat", ("coder", "")),
        ("/coders fix", "chat", ("chat", "/coders fix")),
        ("/agent\nfix this", "chat", ("agent", "fix this")),
    ],
)
def test_a_line_is_split_into_mode_and_words(line, current, expected):
    assert split_mode(line, current) == expected
