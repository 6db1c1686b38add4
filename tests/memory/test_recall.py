"""Recall on the labelled set: in both languages, better than words alone, quick among 10,000 facts."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from time import process_time

import pytest

from chatcli.memory import vectors
from chatcli.memory.recall import Recall
from chatcli.memory.store import Memory
from chatcli.memory.words import expression
from tests.memory.labelled import Labelled, draft, facts, questions

HIT_AT_5 = 0.9
SLOWEST_SECONDS = 0.02


def test_the_set_is_a_hundred_questions_in_two_halves_and_two_languages() -> None:
    asked = questions()
    assert len(asked) == len({question.text for question in asked}) == 100
    for half in ("dev", "test"):
        for language in ("en", "pt"):
            assert sum((q.half, q.language) == (half, language) for q in asked) == 25
    halves = [{q.about for q in asked if q.half == half} for half in ("dev", "test")]
    assert not halves[0] & halves[1]
    assert halves[0] | halves[1] == facts().keys()


@pytest.mark.parametrize("half", ["dev", "test"])
def test_among_500_facts_and_better_than_words_alone(among_500: Labelled, half: str) -> None:
    assert among_500.hits(half) >= HIT_AT_5
    assert among_500.hits_by_words(half) < among_500.hits(half) - 0.2


@pytest.fixture(scope="module")
def among_500(tmp_path_factory: pytest.TempPathFactory) -> Labelled:
    return Labelled(tmp_path_factory.mktemp("among_500"), 500)


@pytest.mark.soak
@pytest.mark.timeout(600)
def test_among_10000_facts(tmp_path: Path) -> None:
    labelled = Labelled(tmp_path, 10_000)
    assert min(labelled.hits(half) for half in ("dev", "test")) >= HIT_AT_5
    seconds = []
    for question in questions():
        began = process_time()
        labelled.found(question, 5)
        seconds.append(process_time() - began)
    assert median(seconds) < SLOWEST_SECONDS


def test_a_package_that_cannot_be_loaded_is_left_out_and_logged(tmp_path: Path, monkeypatch, caplog) -> None:
    def breaks():
        raise ImportError("no such instruction")

    monkeypatch.setattr(vectors, "_loaded", breaks)
    monkeypatch.setattr(vectors, "_broken", False)
    memory = Memory(tmp_path)
    memory.add([draft("Prefers tabs.")])
    recall = Recall(memory)
    assert [found.fact.text for found in recall.find("tabs", scope="", limit=5)] == ["Prefers tabs."]
    assert recall.vectors.fill(9) == 0
    assert not vectors.available()
    assert "no such instruction" in caplog.text


def test_without_the_package_words_find_it(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(vectors, "available", lambda: False)
    memory = Memory(tmp_path)
    memory.add([draft("Os relatórios noturnos rodam às três."), draft("Prefers tabs.")])
    for question in ("relatorio", "qual o relatório?", "RELATÓRIOS noturno", "noturnos"):
        (found,) = Recall(memory).find(question, scope="", limit=5)
        assert found.fact.text.startswith("Os relatórios")


@pytest.mark.parametrize(
    "question", ["", "   ", "the of a", '"', "NEAR(", "a AND OR NOT *", "text:x", "é" * 3_000, "^-(){}"]
)
def test_any_question_is_one(tmp_path: Path, monkeypatch, question: str) -> None:
    monkeypatch.setattr(vectors, "available", lambda: False)
    memory = Memory(tmp_path)
    memory.add([draft("Prefers tabs.")])
    assert Recall(memory).find(question, scope="", limit=5) == []


def test_facts_of_this_project_come_before_those_of_another(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    memory.add(
        [draft("Tests run with make.", scope="/other"), draft("Tests run with tox.", scope="/here")]
        + [draft(f"Nothing about it, number {number}.") for number in range(5)]
    )
    best, second = Recall(memory).find("how do the tests run?", scope="/here", limit=2)
    assert (best.fact.scope, second.fact.scope) == ("/here", "/other")


def test_a_fact_noted_since_is_found_at_once_and_one_forgotten_no_more(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    recall = Recall(memory)
    memory.add([draft("Prefers tabs.")])
    recall.find("tabs", scope="", limit=5)
    (new,) = Memory(tmp_path).add([draft("The dog is called Thor.")])
    assert new in [found.fact for found in recall.find("nome do cachorro", scope="", limit=5)]
    Memory(tmp_path).forget([new.id])
    assert new not in [found.fact for found in recall.find("nome do cachorro", scope="", limit=5)]


def test_a_vector_of_words_that_were_changed_is_not_kept(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    (fact,) = memory.add([draft("Prefers tabs.")])
    ((number, text),) = memory.look(lambda database: database.without_vector(9), [])
    memory.change(fact.id, "The dog is called Thor.")
    memory.keep_vectors([(number, text, b"\0" * 1024)])
    assert memory.look(lambda database: database.without_vector(9), []) == [
        (number, "The dog is called Thor.")
    ]


def test_words_that_say_nothing_are_not_looked_for() -> None:
    assert expression("What is the name of the dog?") == '"name" OR "dog"'
    assert expression("Qual é o nome do cachorro?") == '"nome" OR "cachorro" OR "cachor"*'
    assert expression("is it the?") == ""
