"""recall: every spelling of a key, and parts that put together are the original again."""

from __future__ import annotations

import json
import re
import resource
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatcli.tools import InvalidArguments, ToolFailed
from chatcli_plugins.recall import recall
from tests.tools.fakes import FakeContext

LOG = b"".join(b"line %d\n" % n for n in range(1, 5_001))


async def text(ctx: FakeContext, key: str, **part: object) -> str:
    return (await ctx.call(recall, keys=key, **part)).text


@pytest.mark.parametrize(
    "spelled",
    [
        "<<ccr:{k}>>",
        "<ccr:{k}>",
        "ccr:{k}",
        "{k}",
        "<<CCR: {u}>>",
        "{u}",
        "see <<ccr:{k}>> please, not deadbeef01",
        "... [9 chars omitted — full output saved to /tmp/budget_call_1_{s}.txt, @recall <<ccr:{k}>>]",
        "/tmp/chatcli-agent-1/tool-results/budget_call_1_{s}.txt",
        "/tmp/chatcli-agent-1/tool-results/budget_toolu_01abcdef23_{s}.txt",
        "`{k}`",
        '["{k}"]',
    ],
)
async def test_a_key_is_found_however_it_is_written(context: FakeContext, spelled: str) -> None:
    key = context.store.put(b"the original")
    spelled = spelled.format(k=key, u=key.upper(), s=key[:8])
    assert await text(context, spelled) == "the original"


@pytest.mark.parametrize("name", ["key", "marker", "markers", "ccr", "id"])
async def test_other_names_of_the_parameter_are_understood(context: FakeContext, name: str) -> None:
    key = context.store.put(b"x")
    assert (await context.call(recall, **{name: key})).text == "x"


async def test_a_short_original_comes_back_verbatim_and_is_marked_so(context: FakeContext) -> None:
    original = "\ufeffhé\r\n\x1b[1mbold\x1b[0m\n\n".encode()
    output = await context.call(recall, keys=context.store.put(original))
    assert output.text.encode() == original
    assert output.verbatim
    assert output.self_limited


async def test_several_keys_come_in_labelled_sections_with_misses_in_their_place(
    context: FakeContext,
) -> None:
    one, two = context.store.put(b"one\n"), context.store.put(b"two\n")
    shown = await text(context, f"<<ccr:{one}>> <<ccr:0000000000000000>> <<ccr:{two}>>")
    assert shown.index("one\n") < shown.index("no result of this session") < shown.index("two\n")
    assert f"<<ccr:{two}>>" in shown


async def test_a_long_original_is_shown_as_far_as_the_cap_allows_and_says_how_to_go_on(
    context: FakeContext,
) -> None:
    context.cap_chars = 30_000
    shown = await text(context, context.store.put(LOG))
    assert len(shown) <= 30_000
    found = re.fullmatch(r"\[lines 1-(\d+) of 5000\]\n(.*)\[go on with lines=(\d+)-\]", shown, re.DOTALL)
    assert found
    assert int(found[3]) == int(found[1]) + 1
    assert LOG.decode().startswith(found[2])


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ({"lines": "10-12"}, "[lines 10-12 of 5000]\nline 10\nline 11\nline 12\n"),
        ({"lines": "10..11"}, "[lines 10-11 of 5000]\nline 10\nline 11\n"),
        ({"lines": 7}, "[lines 7-7 of 5000]\nline 7\n"),
        ({"lines": "4999-"}, "[lines 4999-5000 of 5000]\nline 4999\nline 5000\n"),
        ({"lines": "-1"}, "[lines 5000-5000 of 5000]\nline 5000\n"),
        ({"chars": "5-9"}, "[chars 5-9 of 48893]\n1\nli"),
        ({"chars": 4}, "[chars 0-4 of 48893]\nline"),
        ({"chars": "-5"}, "[chars 48888-48893 of 48893]\n5000\n"),
    ],
)
async def test_ranges_of_lines_and_chars(context: FakeContext, part: dict, expected: str) -> None:
    assert await text(context, context.store.put(LOG), **part) == expected


@pytest.mark.parametrize("part", [{"lines": "x"}, {"lines": "9-3"}, {"chars": "-"}, {"json": "a..b"}])
async def test_what_is_no_range_and_no_path_is_refused(context: FakeContext, part: dict) -> None:
    with pytest.raises(InvalidArguments):
        await text(context, context.store.put(b"{}"), **part)


async def test_two_kinds_of_parts_at_once_are_refused(context: FakeContext) -> None:
    with pytest.raises(InvalidArguments, match="give one of"):
        await text(context, context.store.put(LOG), lines="1-2", chars="0-5")


async def test_a_range_behind_the_end_says_how_long_it_is(context: FakeContext) -> None:
    key = context.store.put(LOG)
    with pytest.raises(ToolFailed, match="5000 lines"):
        await text(context, key, lines="6000-")
    with pytest.raises(ToolFailed, match="48893 chars"):
        await text(context, key, chars="50000-")


async def test_grep_gives_lines_with_numbers_and_an_exact_total(context: FakeContext) -> None:
    shown = await text(context, context.store.put(LOG), grep=r"line 49\d0", context=1)
    assert "4900:line 4900" in shown
    assert "4899-line 4899" in shown
    assert shown.endswith("[10 matching lines in 1 results]")


async def test_grep_within_lines_and_in_pages(context: FakeContext) -> None:
    key = context.store.put(LOG)
    assert "[101 matching lines" in await text(context, key, grep="line", lines="100-200")
    assert "4991:" in await text(context, key, grep="line", lines="-10")
    context.cap_chars = 2_000
    first = await text(context, key, grep="line 1")
    offset = int(re.search(r"offset=(\d+)", first)[1])
    assert len(first) <= 2_000
    shown = re.findall(r"^(\d+):", first, re.MULTILINE)
    following = re.findall(r"^(\d+):", await text(context, key, grep="line 1", offset=offset), re.MULTILINE)
    assert int(following[0]) > int(shown[-1])
    assert len(shown) == offset


async def test_a_pattern_that_is_no_regex_or_matches_only_as_text_is_taken_as_text(
    context: FakeContext,
) -> None:
    key = context.store.put(b"a[0] = f(x)\nb\n")
    assert "1:a[0] = f(x)" in await text(context, key, grep="f(x")
    shown = await text(context, key, grep="a[0]")
    assert "1:a[0] = f(x)" in shown
    assert "as plain text" in shown
    assert await text(context, key, grep="zzz") == "[no match for 'zzz']"


async def test_grep_over_several_results_names_each(context: FakeContext) -> None:
    one, two = context.store.put(b"error one\n"), context.store.put(b"fine\nerror two\n", tool="read")
    shown = await text(context, f"{one} {two}", grep="error")
    assert shown == (
        f"<<ccr:{one}>> (exec)\n1:error one\n<<ccr:{two}>> (read)\n2:error two\n"
        "[2 matching lines in 2 results]"
    )


async def test_a_very_long_line_is_clipped_around_its_match_with_its_columns(context: FakeContext) -> None:
    long = b"x" * 9_000_000 + b"needle" + b"y" * 3_000_000
    shown = await text(context, context.store.put(long), grep="needle")
    assert len(shown) < 1_000
    first, last = map(int, re.search(r"columns (\d+)-(\d+)", shown).groups())
    assert first <= 9_000_001 <= last
    at = 9_000_000
    assert "needle" in await text(context, context.store.known[0].key, chars=f"{at - 10}-{at + 10}")


async def test_a_pattern_that_explodes_is_stopped(context: FakeContext) -> None:
    key = context.store.put(b"a" * 5_000 + b"!\n")
    with pytest.raises(ToolFailed, match="too long"):
        await text(context, key, grep="(a|aa)+$")


DOCUMENT = {
    "status": "ok",
    "items": [{"id": n, "name": f"n{n}", "tags": ["a", "b"]} for n in range(6)],
    "a key": {"pi": 3.140, "é": None},
}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("status", '"ok"'),
        ("$.items[3].name", '"n3"'),
        ("items.3.name", '"n3"'),
        ("items[-1].id", "5"),
        ('["a key"].é', "null"),
        ("items[1:3].id", "items[1].id: 1\nitems[2].id: 2\n[2 values, shown 1-2]"),
        ("items[0].tags[*]", 'items[0].tags[0]: "a"\nitems[0].tags[1]: "b"\n[2 values, shown 1-2]'),
    ],
)
async def test_json_paths(context: FakeContext, path: str, expected: str) -> None:
    key = context.store.put(json.dumps(DOCUMENT, ensure_ascii=False).encode())
    assert await text(context, key, json=path) == expected


async def test_a_json_value_is_the_very_text_of_the_original(context: FakeContext) -> None:
    key = context.store.put(b'{"n": 1.10e2, "s": "\\u00e9",  "o": { "a":1 } }\n[exit 0 in 0.1 s]')
    assert await text(context, key, json="n") == "1.10e2"
    assert await text(context, key, json="s") == '"\\u00e9"'
    assert await text(context, key, json="o") == '{ "a":1 }'


async def test_a_json_value_without_room_goes_on_by_chars(context: FakeContext) -> None:
    context.cap_chars = 1_400
    value = "v" * 3_000
    key = context.store.put(json.dumps({"a": 1, "long": value}).encode())
    shown = await text(context, key, json="long")
    go_on = re.search(r"\[go on with chars=(\d+-\d+)\]$", shown)[1]
    rest = await text(context, key, chars=go_on)
    assert len(shown) <= 1_400
    assert rest.startswith(f"[chars {go_on.split('-')[0]}-")


async def test_json_lines_are_an_array_and_other_text_around_them_is_left_out(context: FakeContext) -> None:
    key = context.store.put(b'starting\n{"id":1}\n{"id":2}\n{"id":3}\n[exit 0 in 0.2 s]')
    assert await text(context, key, json="[1:].id") == "[1].id: 2\n[2].id: 3\n[2 values, shown 1-2]"
    assert "JSON lines, 3 records" in await text(context, key, stat=True)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("itmes", "no key 'itmes'. Similar: items"),
        ("items[9]", "array of 6 items"),
        ("status.x", "status is a string"),
    ],
)
async def test_a_path_that_leads_nowhere_says_what_is_there(
    context: FakeContext, path: str, said: str
) -> None:
    key = context.store.put(json.dumps(DOCUMENT).encode())
    with pytest.raises(ToolFailed) as caught:
        await text(context, key, json=path)
    assert said in str(caught.value)


async def test_lines_that_are_no_json_do_not_hide_those_behind_them(context: FakeContext) -> None:
    key = context.store.put(b'{"id":1}\nwarning: slow\n{"id":2}\n')
    assert await text(context, key, json="[-1].id") == "2"
    assert "2 records\n1 other lines are no part of it" in await text(context, key, stat=True)


async def test_an_empty_result_has_words(context: FakeContext) -> None:
    assert await text(context, context.store.put(b"")) == "[the result is empty]"


@pytest.mark.parametrize("times", [1, 40])
async def test_what_stat_says_of_many_keys_is_short(context: FakeContext, times: int) -> None:
    wide = {f"key {n} " + "k" * 200: n for n in range(500)}
    keys = [context.store.put(json.dumps({**wide, "n": n}).encode()) for n in range(times)]
    context.cap_chars = 30_000
    shown = await text(context, " ".join(keys), stat=True)
    assert "more" in shown
    assert len(shown) <= 30_000


async def test_stat_tells_sizes_type_and_what_json_is_made_of(context: FakeContext) -> None:
    shown = await text(context, context.store.put(json.dumps(DOCUMENT).encode()), stat=True)
    assert "JSON object of 3 keys" in shown
    assert "status: string, items: array of 6, a key: object of 2" in shown
    shown = await text(context, context.store.put(LOG, tool="read"), stat=True)
    assert shown == "read: 5000 lines, 48893 chars, 48893 bytes, text"
    assert "binary, PNG" in await text(context, context.store.put(b"\x89PNG\r\n\0\0"), stat=True)
    rows = json.dumps([{"id": n} for n in range(50)]).encode()
    assert "JSON array of 50 items\n[0] has the keys id: number" in await text(
        context, context.store.put(rows), stat=True
    )


@pytest.mark.parametrize(
    "part", [{"lines": "0-0"}, {"lines": "0"}, {"lines": "7-5"}, {"chars": "7-5"}], ids=str
)
async def test_a_range_that_holds_nothing_is_a_mistake(context: FakeContext, part: dict[str, str]) -> None:
    with pytest.raises(InvalidArguments, match="goes forward"):
        await text(context, context.store.put(LOG), **part)


async def test_an_unknown_key_says_why_and_what_is_near(context: FakeContext) -> None:
    key = context.store.put(b"known", tool="search")
    near = key[:-1] + ("0" if key[-1] != "0" else "1")
    with pytest.raises(ToolFailed, match=rf"Similar: <<ccr:{key}>> \(search\)"):
        await text(context, near)
    with pytest.raises(ToolFailed, match=rf"Similar: <<ccr:{key}>> \(search\)"):
        await text(context, key[:6])
    with pytest.raises(ToolFailed, match="The latest are"):
        await text(context, "f" * 16 if not key.startswith("f") else "0" * 16)
    with pytest.raises(ToolFailed, match="deleted by the user"):
        await text(context, context.store.put(b"gone", state="deleted"))
    with pytest.raises(ToolFailed, match="its file is gone or damaged"):
        await text(context, context.store.put(b"lost", state="lost"))


async def test_what_is_no_key_at_all_is_echoed(context: FakeContext) -> None:
    with pytest.raises(ToolFailed, match="the big one"):
        await text(context, "the big one")


def body_and_next(shown: str) -> tuple[str, dict[str, str]]:
    """The verbatim part of a page, as long as its heading says, and what it says to ask for next."""
    heading, _, rest = shown.partition("\n")
    if chars := re.fullmatch(r"\[chars (\d+)-(\d+) of \d+\]", heading):
        body = rest[: int(chars[2]) - int(chars[1])]
    elif chars := re.fullmatch(r"\[the first (\d+) chars of line .*\]", heading):
        body = rest[: int(chars[1])]
    else:
        first, last = map(int, re.fullmatch(r"\[lines (\d+)-(\d+) of \d+\]", heading).groups())
        body = "".join(part + "\n" for part in rest.split("\n")[: last - first + 1])
        body = body if len(body) <= len(rest) else rest
    found = re.fullmatch(r"\n?\[go on with (lines|chars)=(\d+-)\]", rest[len(body) :])
    assert found or body == rest
    return body, {found[1]: found[2]} if found else {}


@pytest.mark.parametrize("part", [{"lines": "1-"}, {"chars": "0-"}])
@settings(max_examples=60, deadline=None)
@given(
    lines=st.lists(st.text(st.sampled_from("ab é👩\u200d👧\t\r\x1b"), max_size=90), min_size=1, max_size=80),
    long=st.text(st.sampled_from("aé👩\u200d👧\r"), max_size=900),
    ended=st.booleans(),
)
async def test_pages_put_together_are_the_original(
    part: dict[str, str], lines: list[str], long: str, ended: bool
) -> None:
    original = "\n".join([*lines, long, "x"]) + ("\n" if ended else "")
    with tempfile.TemporaryDirectory() as folder:
        ctx = FakeContext(Path(folder), cap_chars=700)
        key, whole, following = ctx.store.put(original.encode()), "", part
        while following:
            shown = await text(ctx, key, **following)
            assert len(shown) <= 700
            body, following = body_and_next(shown)
            whole += body
        assert whole == original


async def test_a_huge_original_is_read_in_constant_memory(context: FakeContext) -> None:
    key = context.store.put(b"start\n" + b"z" * 150_000_000 + b"\nneedle at the end\n")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert "needle" in await text(context, key, lines="-1")
    assert "3:needle at the end" in await text(context, key, grep="needle")
    assert await text(context, key, chars="150000000-150000009") == (
        "[chars 150000000-150000009 of 150000025]\n" + "z" * 6 + "\nne"
    )
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 80_000
