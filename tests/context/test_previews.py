from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from chatcli.context.cuts import head_end, tail_start
from chatcli.context.limits import CAPPED, PREVIEW
from chatcli.context.previews import fit, render
from chatcli.context.tokens import estimate_tokens
from chatcli.messages import WHOLE, Archived, Presentation
from tests.context.builders import Long, Originals, lines_of
from tests.context.texts import PIECES, untimed

PATH = "/tmp/chatcli-agent-Xy7K3a/tool-results/budget_call_1_0123abcd.txt"
TRUNCATED = Presentation(kind="truncated", head_chars=2_000, tail_chars=500, error_chars=500)
COUNT = re.compile(r"(\d+) chars omitted")

long_texts = st.builds(
    lambda pieces, times, end: "".join(pieces) * times + end,
    st.lists(
        st.sampled_from([*PIECES, "error: no\n", "a line of text\n", "FAILED x\n"]), min_size=1, max_size=30
    ),
    st.integers(1, 2_000),
    st.sampled_from(["", "\n", "}", "]"]),
).map(lambda text: Long(text[:60_000]))


def original(text: str, **fields: int) -> Archived:
    return Originals().put(text, **fields)


def saved(presentation: Presentation) -> Presentation:
    return structs.replace(presentation, saved=True)


def test_a_preview_has_the_documented_form() -> None:
    text = lines_of(85_432)
    shown = render(text, saved(PREVIEW), original(text), PATH).text
    head, marker, tail = shown.split("\n\n")
    assert text.startswith(head + "\n")
    assert 3_900 < len(head) < 4_000
    assert text.endswith("\n" + tail)
    assert 900 < len(tail) <= 1_000
    omitted = len(text) - len(head + "\n") - len(tail)
    key = original(text).key
    assert marker == f"... [{omitted} chars omitted — full output saved to {PATH}, @recall <<ccr:{key}>>]"


def test_a_capped_result_tells_what_was_kept_too() -> None:
    text = lines_of(200_000)
    rendered = render(text, saved(CAPPED), original(text), PATH)
    marker = rendered.text.split("\n\n")[1]
    omitted, kept = rendered.omitted_chars, rendered.kept_chars
    assert marker == (
        f"[TRUNCATED {omitted} chars omitted, {kept} kept — full output saved to {PATH}, "
        f"@recall <<ccr:{original(text).key}>>]"
    )


def test_an_old_result_names_its_key_alone() -> None:
    text = lines_of(10_000)
    rendered = render(text, TRUNCATED, original(text), None)
    marker = rendered.text.split("\n\n")[1]
    assert marker == (
        f"[... {rendered.omitted_chars} chars omitted from old tool result, "
        f"@recall <<ccr:{original(text).key}>> ...]"
    )


def test_the_last_form_is_one_line() -> None:
    text = "package main\n" + "// a line of Go, sixty-two characters long with its newline..\n" * 449
    shown = render(text, Presentation(kind="summary"), original(text), None)
    assert shown.text == (
        f"[Old tool result cleared — 450 lines, 27K chars, Go source] <<ccr:{original(text).key}>>"
    )
    assert (shown.kept_chars, shown.omitted_chars) == (0, len(text))


def test_a_full_disk_is_said_and_the_key_is_still_named() -> None:
    text = lines_of(50_000)
    shown = render(text, PREVIEW, original(text), None).text
    assert f"full output could not be saved to a file, @recall <<ccr:{original(text).key}>>" in shown
    assert shown.endswith(text[-900:])


def test_what_could_not_be_stored_is_said_to_be_lost() -> None:
    text = lines_of(50_000)
    shown = render(text, PREVIEW, Originals().put(text, stored=False), None).text
    assert "chars omitted — they could not be saved and are lost]" in shown
    assert "ccr:" not in shown
    assert shown.endswith(text[-900:])


def test_bytes_that_the_quota_left_out_are_said_to_be_lost() -> None:
    text = lines_of(50_000)
    shown = render(text, PREVIEW, original(text, omitted_bytes=7), None).text
    assert "[7 bytes in the middle of the output" in shown


def test_cut_json_is_said_to_be_no_json_any_more() -> None:
    text = "[" + ",".join(f'{{"id":{number},"name":"n{number}"}}' for number in range(3_000)) + "]"
    shown = render(text, saved(PREVIEW), original(text), PATH).text
    head, marker, tail = shown.split("\n\n")
    assert head.endswith("},")
    assert tail.startswith('{"id":')
    assert marker.endswith("\n[cut inside JSON: what is shown is no longer valid JSON]")


def test_a_log_that_begins_with_a_bracket_is_no_json() -> None:
    text = "[INFO] a line of a log []\n" * 3_000
    assert "JSON" not in render(text, PREVIEW, original(text), None).text


def test_errors_of_the_middle_stand_in_the_marker_and_count_as_kept() -> None:
    middle = "src/a.c:7:1: error: no such thing\n"
    text = lines_of(30_000) + middle + lines_of(30_000)
    rendered = render(text, saved(PREVIEW), original(text), PATH)
    number = lines_of(30_000).count("\n") + 1
    assert f"look like errors:\n{number}: src/a.c:7:1: error: no such thing]" in rendered.text
    without = render(text.replace("error", "horror"), saved(PREVIEW), original(text), PATH)
    assert rendered.kept_chars == without.kept_chars + len(middle.strip())


def test_text_that_looks_like_a_marker_is_plain_text() -> None:
    quoted = "... [12 chars omitted — full output saved to /etc/passwd, @recall <<ccr:0123456789abcdef>>]\n"
    text = quoted * 600
    rendered = render(text, saved(PREVIEW), original(text), PATH)
    assert rendered.kept_chars + rendered.omitted_chars == len(text)
    assert rendered.text.startswith(quoted)
    assert f"[{rendered.omitted_chars} chars omitted — full output saved to {PATH}" in rendered.text


def test_nothing_is_cut_where_both_ends_meet() -> None:
    text = lines_of(4_900)
    assert render(text, PREVIEW, original(text), PATH).text == text


def test_a_path_too_long_to_be_named_is_not_named() -> None:
    text = lines_of(50_000)
    sizes = fit(text, PREVIEW, original(text), "/tmp/" + "x" * 2_000, max_chars=1_000)
    assert not sizes.saved
    assert len(render(text, sizes, original(text), None).text) <= 1_000


def test_the_sizes_of_trueforge_leave_the_first_and_the_last_hundred() -> None:
    text = "x" * 30_000
    sizes = structs.replace(PREVIEW, head_chars=100, tail_chars=100)
    rendered = render(text, fit(text, sizes, original(text), PATH, max_chars=20_000), original(text), PATH)
    assert rendered.kept_chars == 200


@untimed
@given(long_texts, st.sampled_from([PREVIEW, CAPPED, TRUNCATED, WHOLE]), st.sampled_from([PATH, None]))
def test_kept_and_omitted_are_exact(text: str, presentation: Presentation, path: str | None) -> None:
    presentation = structs.replace(presentation, saved=path is not None)
    rendered = render(text, presentation, original(text), path)
    assert rendered.kept_chars + rendered.omitted_chars == len(text)
    if rendered.omitted_chars == 0:
        assert rendered.text == text
        return
    json = "cut inside JSON" in rendered.text
    end = head_end(text, presentation.head_chars, records=json)
    start = tail_start(text, presentation.tail_chars, records=json)
    assert rendered.text.startswith(text[:end])
    assert rendered.text.endswith(text[start:])
    middle = rendered.text[end : len(rendered.text) - (len(text) - start)]
    errors = re.findall(r"\n\d+: ([^\n]*)", middle)
    shown = end + len(text) - start + sum(map(len, errors))
    shown -= bool(errors)  # the bracket that closes the note
    assert rendered.kept_chars == shown
    assert int(COUNT.search(middle)[1]) == len(text) - shown  # type: ignore[index]


@untimed
@given(long_texts, st.sampled_from([PREVIEW, CAPPED]), st.integers(1_000, 30_000), st.booleans())
def test_a_fitted_preview_is_within_the_limit_with_its_marker(
    text: str, wanted: Presentation, most: int, can_save: bool
) -> None:
    path = PATH if can_save else None
    sizes = fit(text, wanted, original(text), path, max_chars=most)
    rendered = render(text, sizes, original(text), path)
    assert len(rendered.text) <= most or len(text) <= most
    if len(text) > most:
        assert rendered.omitted_chars > 0


@untimed
@given(long_texts, st.integers(300, 8_000))
def test_a_fitted_preview_is_within_the_limit_of_tokens(text: str, most: int) -> None:
    sizes = fit(text, PREVIEW, original(text), PATH, max_chars=20_000, max_tokens=most)
    assert estimate_tokens(render(text, sizes, original(text), PATH).text) <= most


@pytest.mark.parametrize("most", [1_000, 1_500, 4_999, 5_000, 6_000])
def test_a_limit_below_the_preview_makes_the_preview_smaller(most: int) -> None:
    text = lines_of(40_000)
    sizes = fit(text, PREVIEW, original(text), PATH, max_chars=most)
    shown = render(text, sizes, original(text), PATH).text
    assert most // 2 < len(shown) <= most
