"""An ordinary question about the web stays cheap: the figures of `python -m tests.bench web`."""

from __future__ import annotations

from tests.bench.web import MAX_TOKENS, NAIVE_TOKENS, SCORE, ask


def test_the_question_is_answered_for_less_than_a_third_of_the_naive_loop(tmp_path):
    ours, naive = ask(tmp_path / "ours"), ask(tmp_path / "naive", naive=True)
    assert ours.answer == naive.answer == SCORE
    assert ours.full_tokens < MAX_TOKENS
    assert naive.all_tokens > NAIVE_TOKENS
