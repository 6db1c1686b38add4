"""Why the gate hesitates: one text for the model (English) and for the person (translated)."""

from __future__ import annotations

from msgspec import Struct

from chatcli.i18n import _


class Reason(Struct, frozen=True):
    """`text` may hold `{about}`: a path, a word, a name. That part is foreign text."""

    text: str
    about: str = ""

    def __str__(self) -> str:
        return self.text.format(about=self.about)

    def shown(self) -> str:
        """In the language of the screen."""
        return _(self.text).format(about=self.about)
