"""Pictures that the user names: seen by every model that can, on the wire as its service takes them."""

from __future__ import annotations

import base64
import random

import msgspec
import pytest

from chatcli.agent.calls.results import list_results
from chatcli.context.tokens import estimate_message_tokens
from chatcli.errors import BadRequest, UsageError
from chatcli.events import Notice
from chatcli.messages import Archived, Image, Text, UserMessage
from chatcli.providers.base import Request
from chatcli.providers.images import ANTHROPIC_IMAGES, ImageTerms, text_bytes, visible
from tests.providers.pictures import gif, png
from tests.providers.rows import NAMES
from tests.wire import script

BLIND = ("zai", "minimax", "ollama", "stackspot-flat", "stackspot-chunked")
SEEING = tuple(name for name in NAMES if name not in BLIND)
PICTURE = png(1200, 800)
LABEL = "[image: a.png — 1200x800 PNG]"


def sent_text(talk) -> str:
    return msgspec.json.encode(talk.seen.body).decode()


@pytest.fixture
def picture(tmp_path):
    path = tmp_path / "project" / "a.png"

    def write(data: bytes = PICTURE):
        path.write_bytes(data)
        return path

    return write


@pytest.mark.parametrize("row", SEEING)
async def test_a_model_that_sees_is_shown_the_picture_in_each_request(row, play, picture):
    steps = (script.reply(script.call("tree")), script.reply("A cat."), script.reply("Still a cat."))
    async with play(row, *steps) as open_talk:
        talk = open_talk()
        await talk.conversation.run("What is this?", attachments=[picture()])
        assert base64.b64encode(PICTURE).decode() in sent_text(talk)
        assert LABEL in sent_text(talk)
        await talk.say("And now?")
    assert base64.b64encode(PICTURE).decode() in sent_text(talk)
    assert not talk.told(Notice)


@pytest.mark.parametrize("row", BLIND)
async def test_a_model_that_does_not_see_is_told_so_and_so_is_the_user(row, play, picture):
    async with play(row, script.reply("I cannot see it.")) as open_talk:
        talk = open_talk()
        await talk.conversation.run("What is this?", attachments=[picture()])
    assert "[image: a.png — 1200x800 PNG; this model cannot see images]" in sent_text(talk)
    assert base64.b64encode(PICTURE).decode() not in sent_text(talk)
    assert "a.png" in talk.told(Notice)[0].text


@pytest.mark.parametrize("row", ["claudeai", "bedrock-converse", "openai-responses"])
async def test_a_resumed_session_sends_the_same_bytes(row, play, picture):
    async with play(row, script.reply("A cat."), script.reply("Still.")) as open_talk:
        talk = open_talk()
        path = picture()
        await talk.conversation.run("What is this?", attachments=[path])
        first = [segment.data for segment in talk.seen.segments]
        path.unlink()
        talk = open_talk(resume=talk.conversation.session.id)
        await talk.say("And now?")
    assert [segment.data for segment in talk.seen.segments][: len(first)] == first


async def test_the_journal_names_the_picture_and_the_archive_has_it_once(play, picture):
    async with play("claudeai", script.reply("A cat."), script.reply("The same.")) as open_talk:
        talk = open_talk()
        path = picture()
        await talk.conversation.run("What is this?", attachments=[path])
        await talk.conversation.run("And this?", attachments=[path])
        session = talk.conversation.session
        images = [image for message in session.transcript for image in getattr(message, "images", ())]
    assert [type(image) for image in images] == [Image, Image]
    assert all(image.data == b"" for image in images)
    assert [path.read_bytes() for path in session.archive.folder.glob("?" * 64)].count(PICTURE) == 1


async def test_copilot_is_told_that_a_picture_comes(play, picture):
    async with play("copilot-chat", script.reply("A cat."), script.reply("Hello.")) as open_talk:
        talk = open_talk()
        await talk.say("Hello.")
        assert "copilot-vision-request" not in talk.seen.headers
        await talk.conversation.run("What is this?", attachments=[picture()])
    assert talk.seen.headers["copilot-vision-request"] == "true"


@pytest.mark.parametrize(
    ("row", "data", "words"),
    [
        ("claudeai", png(size_bytes=4_000_000), "CLAUDEAI takes PNG, JPEG, GIF, WEBP up to 3.9 MB"),
        ("claudeai", png(9_000, 20), "8000 pixels a side"),
        ("googleai", gif(), "GOOGLEAI takes PNG, JPEG, WEBP up to 14.0 MB"),
        ("openai-chat", png()[:20], "damaged"),
    ],
)
async def test_a_picture_that_would_be_refused_is_refused_before_anything_is_sent(
    row, data, words, play, picture
):
    async with play(row, script.reply("never")) as open_talk:
        talk = open_talk()
        with pytest.raises(UsageError) as raised:
            await talk.conversation.run("What is this?", attachments=[picture(data)])
    assert words in raised.value.message
    assert talk.server.exchanges == []


@pytest.mark.parametrize("row", SEEING)
async def test_a_picture_that_the_service_refuses_is_no_full_window(row, play, picture):
    data = PICTURE + random.Random(1).randbytes(2_500_000)  # in base64 more than two bytes a token of 1 M
    async with play(row, script.status(400, "Could not process image")) as open_talk:
        talk = open_talk()
        with pytest.raises(BadRequest):
            await talk.conversation.run("What is this?", attachments=[picture(data)])
    assert len(talk.server.exchanges) == 1
    assert not talk.told(Notice)


def test_of_a_body_with_pictures_the_text_is_measured():
    image = base64.b64encode(png(size_bytes=1_000)).decode()
    body = {"text": "olá", "url": f"data:image/png;base64,{image}", "data": image}
    empty = {"text": "olá", "url": "", "data": ""}
    assert text_bytes(msgspec.json.encode(body)) == len(msgspec.json.encode(empty)) - 4
    spoken = msgspec.json.encode({"text": f"it is {image}", "word": "x" * 20_000})
    assert text_bytes(spoken) == len(spoken)


def shown(terms, *sizes):
    """Which of pictures of these sizes in bytes are shown, oldest first, and what stands for the others."""
    messages = [
        UserMessage(
            seq=seq,
            parts=(
                Text("Look."),
                Image(
                    path=f"{seq}.png",
                    format="png",
                    width=10,
                    height=10,
                    original=_archived(size),
                    data=b"x" * size,
                ),
            ),
        )
        for seq, size in enumerate(sizes)
    ]
    request = Request(model="m", system=(), tools=(), messages=tuple(messages))
    return [
        "shown" if isinstance(message.parts[1], Image) else message.parts[1].text
        for message in visible(request, terms).messages
    ]


def _archived(size_bytes):
    return Archived(key="k", sha256="s", size_bytes=size_bytes, size_chars=0, lines=0)


def test_a_picture_that_another_service_took_is_named_where_it_is_too_large():
    refused = "[image: 0.png — 10x10 PNG; not shown: this service does not take it]"
    assert shown(ANTHROPIC_IMAGES, 4_000_000, 3_000_000) == [refused, "shown"]


def test_pictures_that_are_too_large_together_are_shown_from_the_newest_on():
    first = "[image: 0.png — 10x10 PNG; no longer shown: there are too many images after it]"
    assert shown(ImageTerms(), 8_000_000, 7_000_000, 6_000_000) == [first, "shown", "shown"]


def test_no_more_pictures_are_shown_than_the_service_takes_at_once():
    assert [text == "shown" for text in shown(ANTHROPIC_IMAGES, *[9] * 25)] == [False] * 5 + [True] * 20


def test_a_request_without_pictures_stays_the_same_object():
    request = Request(model="m", system=(), tools=(), messages=(UserMessage(seq=1, parts=(Text("Hi."),)),))
    assert visible(request, None) is request


async def test_a_summary_is_asked_for_with_the_picture_and_names_it_afterwards(play, picture):
    """With it, because so the service reads everything from its cache."""
    steps = (
        script.reply("A cat. " * 400),
        script.reply("A dog. " * 400),
        script.reply("## Task\nLooked at a cat.\n## Next steps\nNone.", side=True),
        script.reply("Well.", rewrite=True),
    )
    async with play("claudeai", *steps) as open_talk:
        talk = open_talk()
        await talk.conversation.run("What is this?", attachments=[picture()])
        await talk.say("And what else?")
        assert await talk.conversation.compact()
        assert base64.b64encode(PICTURE).decode() in sent_text(talk)
        await talk.say("Go on.")
    assert "[image: a.png — 1200x800 PNG; no longer shown]" in sent_text(talk)
    assert base64.b64encode(PICTURE).decode() not in sent_text(talk)


async def test_a_picture_that_was_deleted_is_named(play, picture):
    steps = (script.reply("A cat."), script.reply("Gone.", rewrite=True))
    async with play("claudeai", *steps) as open_talk:
        talk = open_talk()
        await talk.conversation.run("What is this?", attachments=[picture()])
        (stored,) = list_results(talk.conversation.session)
        talk.conversation.session.delete_result(stored.original.sha256)
        await talk.say("And now?")
    assert "[image: a.png — 1200x800 PNG; no longer stored]" in sent_text(talk)


async def test_a_model_that_calls_tools_in_text_sees_too(play, picture):
    steps = (script.reply("A cat."), script.reply("Still."))
    async with play("claudeai", *steps, CHATCLI_TOOL_PROTOCOL="text") as open_talk:
        talk = open_talk()
        await talk.conversation.run("What is this?", attachments=[picture()])
        await talk.say("And now?")
    assert base64.b64encode(PICTURE).decode() in sent_text(talk)


@pytest.mark.parametrize(("width", "height", "tokens"), [(1200, 800, 1280), (10, 10, 0), (8000, 8000, 4800)])
def test_a_picture_counts_by_its_size(width, height, tokens):
    image = Image(path="a.png", format="png", width=width, height=height, original=_archived(9))
    named = UserMessage(seq=1, parts=(Text(image.text),))
    shown = UserMessage(seq=1, parts=(image,))
    assert estimate_message_tokens(shown) - estimate_message_tokens(named) == tokens
