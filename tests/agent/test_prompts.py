"""What is sent before the first word: how large it is, and what of it the user wrote."""

from __future__ import annotations

from importlib.resources import files

import msgspec
import pytest

from chatcli.agent.blocks import render_blocks, stable_blocks
from chatcli.agent.opening import opening_notices
from chatcli.agent.persona import MAX_CHARS, read_persona
from chatcli.context.tokens import estimate_tokens
from tests.memory.labelled import draft
from tests.wire.script import reply


def test_every_prompt_has_its_measured_size():
    """What is sent in every request is `core`; `tools` and `format_error` only under the text protocol.

    For comparison, the leanest published figures of the same kind: 1,000 tokens for a coder's prompt,
    390 for its formats, 230 for an agent's.
    """
    prompts = [file for file in files("chatcli.agent.prompts").iterdir() if file.name.endswith(".md")]
    measured = {file.name: estimate_tokens(file.read_text(encoding="utf-8")) for file in prompts}
    assert measured == {
        "core.md": 344,
        "format_error.md": 63,
        "learn.md": 134,
        "summary.md": 137,
        "tools.md": 104,
    }


@pytest.mark.parametrize("language", ["en", "pt_BR"])
def test_the_core_block_that_all_modes_share_stays_within_1000_tokens(language):
    (core,) = render_blocks(language, "", "")
    assert estimate_tokens(core.text) <= 1_000


@pytest.mark.parametrize(("mode", "most_tokens"), [("chat", 230), ("agent", 230), ("coder", 390)])
def test_what_a_mode_adds_is_one_short_paragraph(mode, most_tokens):
    (core,) = render_blocks("en", "", "")
    (paragraph,) = [line for line in core.text.splitlines() if line.startswith(f"- {mode}: ")]
    assert estimate_tokens(paragraph) <= most_tokens


@pytest.mark.parametrize("language", ["en", "pt_BR"])
async def test_everything_before_the_first_word_of_agent_stays_within_3000_tokens(talk, language):
    """With all built-in tools and a memory; what the user wrote, rules and persona, has its own limits."""
    async with talk([]) as t:
        c = t.conversation
        c.memory.add([draft("I am called Ana.", "profile")])
        blocks = stable_blocks(c.session, language, "", c.sessions.home, c.memories.digest)
        assert [block.name for block in blocks] == ["core", "memory"]
        tools = msgspec.json.encode(t.conversation.registry.schemas()).decode()
        texts = [tools, *(block.text for block in blocks)]
        assert sum(map(estimate_tokens, texts)) <= 3_000


def test_the_core_names_every_mode_and_one_language():
    (core,) = render_blocks("en", "", "")
    assert all(f"\n- {mode}: " in core.text for mode in ("chat", "agent", "coder"))
    assert core.text.count("language of the user's message") == 1


def test_without_a_persona_the_core_is_the_same_bytes(tmp_path):
    assert read_persona(tmp_path).text == ""
    assert render_blocks("en", "", read_persona(tmp_path).text) == render_blocks("en", "", "")


def test_a_persona_longer_than_its_bound_is_cut_and_counted(tmp_path):
    (tmp_path / "persona.md").write_text("é" * (MAX_CHARS + 5), encoding="utf-8")
    persona = read_persona(tmp_path)
    assert (len(persona.text), persona.omitted_chars) == (MAX_CHARS, 5)


def test_a_persona_that_is_no_text_is_none(tmp_path):
    (tmp_path / "persona.md").write_bytes(b"\xff\xfe\xff")
    assert read_persona(tmp_path).text == ""


async def test_the_persona_ends_the_core_block_and_stays_for_the_session(talk, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    (home / "persona.md").write_text("Speak like a pirate.\n", encoding="utf-8")
    async with talk([reply("Arr."), reply("Arr.")]) as t:
        await t.conversation.run("hello")
        (home / "persona.md").write_text("Speak like a judge.\n", encoding="utf-8")
        await t.conversation.run("hello again")
        system = [exchange.seen.body["messages"][0]["content"] for exchange in t.server.exchanges]
        assert system[0] == system[1]
        assert system[0].endswith("# Persona\nSpeak like a pirate.")


async def test_a_persona_that_was_cut_is_told(talk, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    (home / "persona.md").write_text("x" * (MAX_CHARS + 1), encoding="utf-8")
    async with talk([]) as t:
        assert any("persona.md" in notice.text for notice in opening_notices(t.conversation))
