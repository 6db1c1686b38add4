"""Whether a fact says what was said: the words, what is exact, and whether it was denied."""

from __future__ import annotations

import pytest

from chatcli.memory.grounding import rests_on


@pytest.mark.parametrize(
    ("fact", "said", "holds"),
    [
        ("The user likes tea.", "remember that I like tea", True),
        ("O deploy roda no Kubernetes.", "lembre que o deploy usa Kubernetes", True),
        ("Uses no mocks.", "note that I want no mocks", True),
        ("The user does not use Docker", "remember that I use Docker", False),
        ("I always use tabs", "remember: I never use tabs", False),
        ("Usa Docker", "lembre: eu não uso Docker", False),
        ("Uses mocks.", "no mocks, remember that", False),
        ("Don't use Docker", "remember that I use Docker", False),
        ("The user likes tea.", "don't forget that I like tea", True),
        ("O usuário gosta de chá.", "não se esqueça de que gosto de chá", True),
        ("I use tabs", "remember that I use tabs, not spaces, please", True),
        ("Uses tabs, not spaces.", "remember that I use tabs, not spaces", True),
        ("Uses spaces.", "remember that I use tabs, not spaces", False),
        ("Uses Docker.", "remember: I don't use tabs, spaces or Docker", False),
        ("Uses podman.", "remember that I never use Docker, but podman", True),
        ("Usa Docker", "lembre: Docker eu não uso", False),
        ("Listens on port 8080", "remember the port", False),
        ("", "remember", False),
        ("of the", "of the", False),
    ],
)
def test_a_fact_rests_on_what_was_said(fact: str, said: str, holds: bool) -> None:
    assert rests_on(fact, said) is holds
