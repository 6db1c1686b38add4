"""Questions that one answer settles are told from work, in English and Portuguese."""

from __future__ import annotations

import csv
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pytest

from chatcli.agent.judgement.routing import MAX_CHARS, looks_conversational
from chatcli.agent.modes import asks_for_the_loop
from chatcli.events import Notice, RunStarted
from chatcli.settings import load
from tests.wire.script import call, reply

QUESTION = "what is a mutex?"


def rows(name: str) -> list[dict[str, str]]:
    lines = Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()
    return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


LABELLED = rows("routing_queries.tsv")
HELD_OUT = rows("routing_held_out.tsv")


def texts(label: str, language: str) -> list[str]:
    return [row["text"] for row in LABELLED if (row["label"], row["language"]) == (label, language)]


def test_the_labelled_set_is_large_and_has_each_query_once():
    assert len(LABELLED) == len({row["text"] for row in LABELLED}) >= 300
    assert all(len(texts(*pair)) >= 75 for pair in product(("task", "talk"), ("en", "pt")))


@pytest.mark.parametrize("language", ["en", "pt"])
def test_at_most_one_task_in_two_hundred_is_taken_for_talk(language):
    tasks = texts("task", language)
    wrong = [text for text in tasks if looks_conversational(text)]
    assert len(wrong) <= len(tasks) / 200, wrong


@pytest.mark.parametrize("language", ["en", "pt"])
def test_at_least_four_fifths_of_the_talk_is_found(language):
    talk = texts("talk", language)
    missed = [text for text in talk if not looks_conversational(text)]
    assert len(missed) <= len(talk) / 5, missed


class Figures(NamedTuple):
    """Of one set: how many tasks it has and were taken for talk, how much talk it has and was not found."""

    tasks: int
    leaked: int
    talk: int
    missed: int


@pytest.mark.parametrize(
    ("name", "figures"),
    [
        ("first", Figures(tasks=280, leaked=0, talk=207, missed=48)),
        ("second", Figures(tasks=156, leaked=0, talk=118, missed=35)),
        ("third", Figures(tasks=161, leaked=0, talk=50, missed=18)),
        ("fourth", Figures(tasks=134, leaked=0, talk=0, missed=0)),
        ("hostile", Figures(tasks=213, leaked=0, talk=66, missed=22)),
        ("fifth", Figures(tasks=146, leaked=0, talk=34, missed=11)),
        ("misleading", Figures(tasks=87, leaked=6, talk=24, missed=3)),
    ],
)
def test_the_figures_of_each_held_out_set_stay(name, figures):
    """Written one after the other, each before the rules were held against it.

    Tasks that leaked when a set was first tried: first 7 of 280 (under the rules of that time, which
    knew the labelled set), second 3 of 156, third 3 of 161, fourth 2 of 134, fifth 0 of 146. `hostile`
    was written against the vocabulary (13 of 213), `misleading` to look like talk (17 of 87; three more of
    it stand in other sets). All but the fifth have since taught the rules.
    """
    tasks = [
        row["text"].replace("\\n", "\n") for row in HELD_OUT if (row["set"], row["label"]) == (name, "task")
    ]
    talk = [row["text"] for row in HELD_OUT if (row["set"], row["label"]) == (name, "talk")]
    leaked = sum(map(looks_conversational, tasks))
    missed = len(talk) - sum(map(looks_conversational, talk))
    assert Figures(len(tasks), leaked, len(talk), missed) == figures


def test_every_held_out_query_is_new():
    texts = [row["text"] for row in HELD_OUT]
    assert len(texts) == len(set(texts))


@pytest.mark.parametrize("text", ["fix the cache?", "o que é o módulo frobnicador?", "what is frobnication?"])
def test_a_word_that_nobody_knows_is_of_the_project(text):
    assert not looks_conversational(text)


@pytest.mark.parametrize(
    "text", ["what is a frobnicator?", "o que é um frobnicador?", "what does frob mean?"]
)
def test_a_kind_may_be_one_that_nobody_listed(text):
    assert looks_conversational(text)


@pytest.mark.parametrize(
    "text",
    ["what is error?", "what are tests?", "o que é erro?", "who wrote Order Service?", "what is the cli in?"],
)
def test_terse_questions_about_ones_own_things_are_work(text):
    assert not looks_conversational(text)


def test_a_thing_of_every_project_is_of_the_world_only_where_a_kind_is_asked():
    assert looks_conversational("what is a queue?")
    assert looks_conversational("difference between a queue and a stack")
    assert not looks_conversational("how does the queue work?")
    assert not looks_conversational("what is the queue?")


@pytest.mark.parametrize(
    "text",
    [
        "what is a tenant here?",
        "o que é um inquilino aqui?",
        "what is a frobnicator now?",
        "what is an Order?",
        "o que é um Pedido?",
        "who invented the parser?",
        "quem descobriu o bug?",
        "who discovered the code?",
        "who wrote Payment Gateway?",
        "what is the capital of config?",
    ],
)
def test_a_pointer_a_class_and_what_programs_are_made_of_are_work(text):
    assert not looks_conversational(text)


@pytest.mark.parametrize(
    "text",
    [
        "what is a parser?",
        "o que é um bug?",
        "what is a Monad?",
        "who invented the telephone?",
        "what is a gateway?",
    ],
)
def test_the_same_words_behind_an_article_that_points_at_none_are_talk(text):
    assert looks_conversational(text)


@pytest.mark.parametrize("text", ["who are you?", "what is 15% of 240?", "oi, quem é você?"])
def test_what_the_model_is_and_arithmetic_are_talk(text):
    assert looks_conversational(text)


@pytest.mark.parametrize("text", ["please", "tudo bem", "por favor!", "thanks", "oi"])
def test_courtesy_alone_may_be_an_answer_to_the_agent(text):
    assert not looks_conversational(text)


def test_orders_are_never_talk_even_with_a_question_mark():
    orders = ["fix it?", "rode os testes?", "can you write a parser?", "me ajuda a criar um site?"]
    assert not any(map(looks_conversational, orders))


@pytest.mark.parametrize("place", ["@a.py", "./src", "docs/", "notes.md", "`x`", "run_loop", "parseConfig"])
def test_what_names_a_place_is_work(place):
    assert not looks_conversational(f"what is {place}?")


def test_known_names_are_no_names_in_code():
    assert looks_conversational("what is JavaScript?")


def test_a_long_text_is_work():
    text = "what is a mutex " + "and a semaphore " * 20
    assert looks_conversational(text[:MAX_CHARS].strip())
    assert not looks_conversational(text)


def test_empty_text_is_not_talk():
    assert not looks_conversational(" \n")


@pytest.mark.parametrize(
    ("spelling", "value"),
    [
        *((word, "off") for word in ("off", "0", "false", "no", "OFF")),
        *((word, "hint") for word in ("hint", "1", "on", "true", "True")),
        *((word, "auto") for word in ("auto", "redirect", "2")),
    ],
)
def test_every_spelling_of_the_setting_is_read(spelling, value):
    loaded = load([("environment", {"CHATCLI_AGENT_SMART_ROUTE": spelling})])
    assert (loaded.settings.smart_route, loaded.problems) == (value, ())


def test_an_unknown_spelling_is_reported_and_the_tip_stays():
    loaded = load([("environment", {"CHATCLI_AGENT_SMART_ROUTE": "maybe"})])
    assert loaded.settings.smart_route == "hint"
    assert [problem.value for problem in loaded.problems] == ["maybe"]


def test_run_alone_asks_for_the_loop():
    assert asks_for_the_loop("/run what is a mutex?")
    assert not asks_for_the_loop("/agent /run")
    assert not asks_for_the_loop("/runner")


def route(value: str) -> tuple[str, ...]:
    return (f"CHATCLI_AGENT_SMART_ROUTE={value}",)


READS = [reply(call("read", file="hello.py")), reply("A lock.")]


async def test_a_hint_is_told_and_the_loop_still_runs(talk):
    async with talk(READS) as t:
        finished = await t.conversation.run(QUESTION)
        assert (finished.text, finished.tool_calls) == ("A lock.", 1)
        assert "/chat TEXT" in t.told(Notice)[0].text


async def test_auto_answers_in_chat_and_the_mode_stays(talk):
    async with talk([reply("A lock."), reply("Done.")], assignments=route("auto")) as t:
        await t.conversation.run(QUESTION)
        assert "/run TEXT" in t.told(Notice)[0].text
        assert "mode: chat" in t.conversation.session.transcript[0].parts[-1].text
        assert (t.conversation.mode, t.conversation.session.mode) == ("agent", "agent")
        await t.conversation.run("fix hello.py")
        assert [event.mode for event in t.told(RunStarted)] == ["chat", "agent"]


@pytest.mark.parametrize("route_value", ["hint", "auto"])
async def test_what_must_run_in_the_loop_is_left_alone(talk, project, route_value):
    script = [reply("1"), reply("2"), reply("3"), reply("4")]
    async with talk(script, assignments=route(route_value)) as t:
        await t.conversation.run(QUESTION, may_reroute=False)
        await t.conversation.run(QUESTION, mode="coder")
        await t.conversation.run("explain hello.py", mode="agent")
        await t.conversation.run(QUESTION, attachments=[project / "hello.py"])
        assert t.told(Notice) == []
        assert [event.mode for event in t.told(RunStarted)] == ["agent", "coder", "agent", "agent"]


async def test_off_says_nothing(talk):
    async with talk(READS, assignments=route("off")) as t:
        assert (await t.conversation.run(QUESTION)).tool_calls == 1
        assert t.told(Notice) == []


async def test_offline_is_never_rerouted(talk):
    async with talk([], wire="OFFLINE", assignments=route("auto")) as t:
        await t.conversation.run(QUESTION)
        assert [event.mode for event in t.told(RunStarted)] == ["agent"]
