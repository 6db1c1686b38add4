"""A run that only repeats itself is noticed; one that makes progress is not."""

from itertools import permutations

import pytest

from chatcli.agent.judgement.stagnation import Stagnation, fingerprint, masked
from chatcli.messages import ToolCall
from chatcli.settings import load


def call(name: str, arguments: str) -> ToolCall:
    return ToolCall(id="x", name=name, arguments_json=arguments)


READ_A = call("read", '{"file": "a"}')
READ_B = call("read", '{"file": "b"}')


def test_the_fingerprint_does_not_depend_on_the_order_of_calls_or_keys():
    calls = [READ_A, READ_B, call("search", '{"pattern": "x", "glob": "*.py"}')]
    prints = {fingerprint(order) for order in permutations(calls)}
    prints.add(fingerprint([READ_A, READ_B, call("search", '{"glob":"*.py","pattern":"x"}')]))
    assert len(prints) == 1


def test_reads_of_different_files_have_different_fingerprints():
    assert fingerprint([READ_A]) != fingerprint([READ_B])


def test_the_same_batch_with_the_same_results_stops_at_the_set_number_of_turns():
    detector = Stagnation(3)
    assert [detector.seen([READ_A], ["same"]) for _ in range(3)] == [False, False, True]


def test_numbers_that_tick_do_not_hide_repetition():
    detector = Stagnation(3)
    assert [detector.seen([READ_A], [f"took {n} ms"]) for n in range(3)][-1] is True


def test_results_that_change_reset_the_count_until_twice_the_number():
    detector = Stagnation(3)
    answers = [detector.seen([READ_A], [text]) for text in ("one", "two", "three", "four", "five", "six")]
    assert answers == [False, False, False, False, False, True]


def test_another_call_in_between_resets_the_count():
    detector = Stagnation(3)
    seen = [detector.seen([c], ["same"]) for c in (READ_A, READ_A, READ_B, READ_A, READ_A)]
    assert seen == [False] * 5


def test_arguments_that_are_not_json_are_compared_as_text():
    detector = Stagnation(2)
    broken = call("read", '{"file": ')
    assert [detector.seen([broken], ["bad"]) for _ in range(2)] == [False, True]


def same(*results: str) -> bool:
    """Whether the results count as one."""
    return len({masked(text) for text in results}) == 1


def test_times_numbers_drawn_names_and_folders_are_masked():
    assert same("took 950 ms", "took 1.02 s", "took 1m 2s")
    assert same("at 2026-11-30T10:52:50Z", "at 2025-01-02T23:01:01Z")
    assert same("Mon Nov 30 10:52:50 2026", "Tue Dec 1 09:00:01 2026")
    assert same("wrote /tmp/tmpab1x/out.txt", "wrote /tmp/tmpq9/other.txt")
    assert same("see /home/a/run-x/out.txt", "see /home/b/out.txt")
    assert same("id 6f1c2a9e-0b1d-4c55-8a01-1234567890ab", "id 0f1c2a9e-1b1d-4c55-8a01-1234567890ac")


def test_progress_and_words_are_not_masked():
    assert not same("3 of 10 done", "4 of 10 done")
    assert not same("40%", "50%")
    assert not same("[3/10]", "[4/10]")
    assert not same("CC /src/a.c", "CC /src/b.c")
    assert not same("pending", "running")


def test_polling_whose_output_changes_goes_on():
    detector = Stagnation(3)
    assert not any(detector.seen([READ_A], [f"{10 * n}% done"]) for n in range(5))


def test_paging_goes_on():
    detector = Stagnation(2)
    pages = [call("read", f'{{"file": "a", "start": {n}}}') for n in range(12)]
    assert not any(detector.seen([page], ["the same text"]) for page in pages)


def test_a_batch_is_the_same_with_its_results_in_another_order():
    detector = Stagnation(2)
    assert not detector.seen([READ_A, READ_B], ["a", "b"])
    assert detector.seen([READ_B, READ_A], ["b", "a"])


def test_after_forgetting_the_count_begins_anew():
    detector = Stagnation(2)
    detector.seen([READ_A], ["same"])
    detector.forget()
    assert not detector.seen([READ_A], ["same"])


@pytest.mark.parametrize(("given", "used"), [("1", 2), ("11", 10), ("-3", 2)])
def test_a_number_of_turns_out_of_bounds_is_clamped_and_reported(given, used):
    loaded = load([("environment", {"CHATCLI_AGENT_EARLY_EXIT_TURNS": given})])
    assert loaded.settings.early_exit_turns == used
    assert [problem.used for problem in loaded.problems] == [used]


@pytest.mark.parametrize("word", ["0", "false", "off", "no"])
def test_every_no_turns_it_off(word):
    assert not load([("environment", {"CHATCLI_AGENT_EARLY_EXIT": word})]).settings.early_exit
