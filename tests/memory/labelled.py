"""The labelled set: 50 facts, 100 questions about them in both languages, and any number of distractors.

`dev` questions are what recall was tuned on, `test` questions are about other facts and were only counted.
"""

from __future__ import annotations

import random
from pathlib import Path

from msgspec import Struct

from chatcli.memory.database import Database
from chatcli.memory.fact import CATEGORIES, Fact
from chatcli.memory.recall import Recall
from chatcli.memory.store import Memory
from chatcli.memory.words import expression

HERE = Path(__file__).parent


class Question(Struct, frozen=True):
    half: str
    about: str
    language: str
    text: str


def questions() -> list[Question]:
    lines = (HERE / "questions.tsv").read_text(encoding="utf-8").splitlines()
    return [Question(*line.split("\t")) for line in lines]


def facts() -> dict[str, Fact]:
    """By the name that the questions use."""
    rows = (line.split("\t") for line in (HERE / "facts.tsv").read_text(encoding="utf-8").splitlines())
    return {name: draft(text, category) for name, category, text in rows}


class Labelled:
    """A memory with the labelled facts among others, and what recall makes of the questions."""

    def __init__(self, home: Path, count: int) -> None:
        known = facts()
        self.memory = Memory(home)
        self.recall = Recall(self.memory)
        added = self.memory.add([*known.values(), *distractors(count - len(known))])
        self.ids = dict(zip(known, (fact.id for fact in added), strict=False))
        while self.recall.vectors.fill(500):
            pass

    def hits(self, half: str, best: int = 5) -> float:
        """The share of questions whose fact is among the best."""
        asked = [question for question in questions() if question.half == half]
        return sum(self.ids[q.about] in self.found(q, best) for q in asked) / len(asked)

    def found(self, question: Question, best: int) -> list[str]:
        return [found.fact.id for found in self.recall.find(question.text, scope="", limit=best)]

    def hits_by_words(self, half: str, best: int = 5) -> float:
        """The same for words without meaning, as FTS5 ranks them."""
        asked = [question for question in questions() if question.half == half]
        return sum(self.ids[q.about] in self._found_by_words(q, best) for q in asked) / len(asked)

    def _found_by_words(self, question: Question, best: int) -> list[str]:
        def search(database: Database) -> list[str]:
            numbers = [number for number, _score in database.matches(expression(question.text), best)]
            return [fact.id for fact in database.numbered(numbers).values()]

        return self.memory.look(search, [])


def draft(text: str, category: str = "general", **fields) -> Fact:
    """A fact that nobody has noted yet."""
    named = next(known for known in CATEGORIES if known == category)
    return Fact(text=text, category=named, **fields)


def distractors(count: int) -> list[Fact]:
    """Plausible notes of other projects: no two alike, none an answer to a question."""
    chance = random.Random(20261130)
    seen: set[str] = set()
    while len(seen) < count:
        seen.add(chance.choice(_TEMPLATES).format(**{name: chance.choice(of) for name, of in _WORDS.items()}))
    return [draft(text) for text in sorted(seen, key=lambda text: (hash_of(text), text))]


def hash_of(text: str) -> int:
    return random.Random(text).getrandbits(32)


_TEMPLATES = (
    "The {noun} of {project} is written in {language} and listens on port {number}.",
    "O {nome} do {project} usa {language} e escuta na porta {number}.",
    "{person} looks after the {noun} of {project}.",
    "{person} cuida do {nome} do {project}.",
    "In {project} the {noun} fails when there are more than {number} {things}.",
    "No {project} o {nome} falha quando há mais de {number} {coisas}.",
    "Ticket {project}-{number}: {person} wants the {noun} to export {things}.",
    "Chamado {project}-{number}: {person} quer que o {nome} exporte {coisas}.",
    "The timeout of the {noun} in {project} was raised to {number} seconds for {things}.",
    "O tempo limite do {nome} no {project} subiu para {number} segundos por causa de {coisas}.",
    "For {project} we chose {language} because {person} knows it; {number} {things} depend on it.",
    "Para o {project} escolhemos {language} porque {person} conhece; {number} {coisas} dependem disso.",
    "Meeting with {person} about {things} of {project} in room {number}.",
    "Reunião com {person} sobre {coisas} do {project} na sala {number}.",
)
_WORDS = {
    name: words.split()
    for name, words in {
        "noun": "parser scheduler gateway dashboard exporter crawler mailer indexer balancer renderer",
        "nome": "analisador agendador painel exportador coletor carteiro indexador renderizador",
        "project": "Atlas Boreal Cobalto Delta Estrela Fênix Granito Horizonte Ipê Jade Kappa Lótus",
        "language": "Rust Kotlin Elixir Scala Ruby C# Haskell Clojure Perl Swift",
        "person": "Beatriz Carlos Dora Emma Felipe Greta Heitor Ingrid João Kenji Lívia Noah",
        "things": "invoices sensors tickets shipments contracts playlists coupons badges surveys orders",
        "coisas": "faturas sensores chamados remessas contratos cupons crachás pesquisas pedidos",
        "number": " ".join(str(number) for number in range(11, 9_000, 7)),
    }.items()
}
