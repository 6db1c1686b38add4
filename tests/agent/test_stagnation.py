"""A run that only repeats itself is noticed; one that makes progress is not."""

from itertools import permutations

from chatcli.agent.stagnation import Stagnation, fingerprint
from chatcli.messages import ToolCall


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
