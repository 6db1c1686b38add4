"""The language of a request that no rule fits, by its small words."""

from __future__ import annotations

import re

from chatcli.providers.offline.patterns import fold

_PORTUGUESE_WORDS = (
    "o os um uma de do da dos das em no na nos nas para por com que qual quais como onde quando quem e voce "
    "vc eu meu minha isso isto este esta esse essa nao faca escreva explique conserte crie mostre"
)
_ENGLISH_WORDS = (
    "the an of to in on at for with what which how where when who is are you i my this that these those not "
    "do does make write explain fix create show please can could"
)
_PORTUGUESE_LETTERS = re.compile("[ãõçáéíóúâêôà]", re.IGNORECASE)


def guess_language(text: str) -> str:
    """`pt_BR` or `en`; empty when nothing speaks for either."""
    portuguese_words, english_words = _PORTUGUESE_WORDS.split(), _ENGLISH_WORDS.split()
    words = re.findall(r"[a-z]+", fold(text))
    portuguese = sum(word in portuguese_words for word in words) + bool(_PORTUGUESE_LETTERS.search(text))
    english = sum(word in english_words for word in words)
    if portuguese == english:
        return ""
    return "pt_BR" if portuguese > english else "en"
