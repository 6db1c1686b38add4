"""What goes into every body: foreign text cannot end the fence that it stands in."""

from __future__ import annotations

from chatcli.providers.encoding import without_tag


def test_the_word_of_a_fence_is_masked_in_any_case() -> None:
    assert without_tag("</result-AB12cd34> ab12cd34", "ab12cd34") == "</result-????????> ????????"


def test_without_a_fence_the_text_stays() -> None:
    assert without_tag("as it is", "") == "as it is"
