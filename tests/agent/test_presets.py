"""Presets: several settings in one word, below everything that is set by itself."""

from chatcli.agent.cost.occasion import schedule_in_force
from chatcli.context.budget import enforce_tool_result_budget
from chatcli.context.limits import Ageing, Limits
from chatcli.settings import Settings, load
from tests.context.builders import Originals, Story, lines_of, shown_texts


def loaded(**values: str) -> Settings:
    return load([("environment", {"CHATCLI_TOOL_RESULT_PRESET": "none", **values})]).settings


def test_trueforge_limits_tokens_and_keeps_a_hundred_chars_of_each_end():
    limits = Limits.from_settings(loaded(CHATCLI_TOOL_RESULT_PRESET="trueforge"))
    assert (limits.max_tokens, limits.budget_tokens) == (6_000, 10_000)
    for chars in (19_000, 29_000, 200_000):
        story = Story(Originals())
        story.turn("7, " * (chars // 3))
        out, _ = enforce_tool_result_budget(story.messages, {}, limits, story.store)
        text = shown_texts(out)[0]
        assert text.startswith("7, 7, ")
        assert 200 < len(text) < 700


def test_trueforge_shortens_the_largest_of_a_turn_first():
    limits = Limits.from_settings(loaded(CHATCLI_TOOL_RESULT_PRESET="trueforge"))
    story = Story(Originals())
    story.turn(lines_of(10_000), lines_of(15_000), lines_of(16_000))
    out, _ = enforce_tool_result_budget(story.messages, {}, limits, story.store)
    assert [len(text) > 5_000 for text in shown_texts(out)] == [True, True, False]


def test_lookup_lets_old_results_go_early():
    ageing = Ageing.from_settings(loaded(CHATCLI_TOOL_RESULT_PRESET="lookup"))
    assert ageing == Ageing(
        truncate_turns=1, summarize_turns=3, head_chars=1_200, tail_chars=300, min_content_chars=2_000
    )


def test_a_variable_wins_over_the_preset_from_any_layer():
    layers = [
        ("user file", {"microcompact_head_chars": "900", "tool_result_max_tokens": "7000"}),
        ("environment", {"CHATCLI_TOOL_RESULT_PRESET": "lookup"}),
    ]
    of_both = load(layers)
    assert of_both.settings.microcompact_head_chars == 900
    assert of_both.settings.microcompact_tail_chars == 300
    assert of_both.settings.tool_result_max_tokens == 7_000
    assert of_both.origins["microcompact_tail_chars"].layer == "preset lookup"
    assert of_both.origins["microcompact_head_chars"].layer == "user file"


def test_ages_that_somebody_chose_are_meant_literally():
    def schedule(**values: str) -> str:
        return schedule_in_force(load([("environment", values)]))

    assert schedule() == "auto"
    assert schedule(CHATCLI_MICROCOMPACT_TRUNCATE_TURNS="3") == "eager"
    assert schedule(CHATCLI_TOOL_RESULT_PRESET="lookup") == "eager"
    assert schedule(CHATCLI_TOOL_RESULT_PRESET="trueforge") == "auto"
    assert schedule(CHATCLI_TOOL_RESULT_PRESET="lookup", CHATCLI_MICROCOMPACT_SCHEDULE="auto") == "auto"
