"""Short conversations that show a small model how tools are used: one for each tool, from call to answer.

They stand in front of every conversation. What stands last is imitated most, so the tool that does
least harm comes last.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct


class Example(Struct, frozen=True, kw_only=True):
    question: str
    tool: str
    arguments: dict[str, Any]
    result: str
    answer: str


EXAMPLES = (
    Example(
        question="What does https://example.com say?",
        tool="webfetch",
        arguments={"url": "https://example.com"},
        result="Example Domain",
        answer="It says: Example Domain.",
    ),
    Example(
        question="What changed in the repository?",
        tool="git",
        arguments={"action": "status"},
        result="M main.py",
        answer="main.py was changed.",
    ),
    Example(
        question="Run the tests.",
        tool="exec",
        arguments={"command": "pytest -q"},
        result="12 passed in 0.31s",
        answer="All 12 tests passed.",
    ),
    Example(
        question="Create hello.py that prints hello.",
        tool="write",
        arguments={"file": "hello.py", "content": "print('hello')\n"},
        result="hello.py: created",
        answer="I created hello.py.",
    ),
    Example(
        question="Where is parse_date defined?",
        tool="search",
        arguments={"pattern": "def parse_date"},
        result="main.py:12: def parse_date(text):",
        answer="parse_date is defined in main.py:12.",
    ),
    Example(
        question="Leia o arquivo notas.txt.",
        tool="read",
        arguments={"file": "notas.txt"},
        result="Comprar pão e leite.",
        answer="O arquivo diz: comprar pão e leite.",
    ),
    Example(
        question="What files are in this folder?",
        tool="tree",
        arguments={"path": "."},
        result="./\nnotas.txt  52\nmain.py  310\n[0 folders, 2 files]",
        answer="There are two files: notas.txt and main.py.",
    ),
)
