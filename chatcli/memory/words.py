"""From a question to an FTS5 expression: its words, without those that say nothing in either language."""

from __future__ import annotations

import re

from chatcli.memory.fact import fold

_MOST_WORDS = 24
_STEM_CHARS = 5
"""Longer words are also looked for by their beginning: test, tests, testing; relatório, relatórios."""

_EMPTY = frozenset(
    fold(
        """a about above after all also always am an and any are as at be been before being both but by can
        did do does doing down each few for from further get had has have having he her here him
        his how i if in into is it its just know let many may me might more most much must my need
        no not now of off on once only or other our out over own same say she should so some such
        tell than that the their them then there these they this those through to too under until
        up us use used user very was we were what when where which while who whom whose why will
        with would you your ao aos aquela aquele aquilo as ate com como da das de dela dele deles
        depois do dos e ela elas ele eles em entre era essa esse esta estao estar estas este estes
        eu foi foram fica ficam ha isso isto ja la lhe mais mas me mesmo meu meus minha minhas
        muito na nao nas nem no nos nossa nosso num numa o onde os ou para pela pelas pelo pelos
        por porque posso pode pra qual quais quando quanto que quem quero se sem ser seu seus sao
        so sobre sua suas tambem te tem ter teu tudo tu um uma umas uns usuario voce voces vou
        devo deve precisa existe"""
    ).split()
)


def keywords(text: str) -> list[str]:
    """The words of a text that say something, folded, each once, in order."""
    words = re.findall(r"\w+", fold(text))
    return list(dict.fromkeys(w for w in words if w not in _EMPTY and (len(w) > 1 or w.isdecimal())))


def expression(text: str) -> str:
    """An FTS5 expression that finds any of the words; empty when the text has none."""
    terms = []
    for word in keywords(text)[:_MOST_WORDS]:
        terms.append(f'"{word}"')
        if len(word) > _STEM_CHARS:
            terms.append(f'"{word[:-1][: max(_STEM_CHARS, len(word) - 2)]}"*')
    return " OR ".join(terms)
