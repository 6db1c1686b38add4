"""Layers of settings, and one clear line for what is wrong with a file."""

from gettext import NullTranslations

import pytest

from chatcli import i18n
from chatcli.agent.settings_files import PERSONAL, load_settings
from chatcli.errors import UsageError
from chatcli.messages import Usage
from chatcli.providers.prices import cost_usd, use_own_prices
from chatcli.settings import table


@pytest.fixture
def places(tmp_path):
    home, folder = tmp_path / "home", tmp_path / "project"
    (folder / ".chatcli").mkdir(parents=True)
    home.mkdir()
    return home, folder


@pytest.fixture(autouse=True)
def _no_own_prices():
    yield
    use_own_prices({})


def write(path, text):
    path.write_text(text, encoding="utf-8")


def load(places, **options):
    home, folder = places
    return load_settings(home, folder, **{"trusted": False, "environment": {}, **options})


def test_later_layers_win(places):
    home, folder = places
    write(home / "settings.toml", 'model = "user"\nmax_turns = 7\nMAX_RETRIES = 1\n')
    write(folder / ".chatcli" / "settings.toml", 'model = "project"\nmax_turns = 8\n')
    loaded = load(
        places, trusted=True, environment={"CHATCLI_MODEL": "env"}, assignments=["CHATCLI_LANG=pt_BR"]
    )
    settings = loaded.settings
    assert (settings.model, settings.max_turns, settings.max_retries) == ("env", 8, 1)
    assert settings.lang == "pt_BR"
    assert loaded.origins["max_turns"].layer == "project file"


def test_the_file_of_an_untrusted_folder_does_not_count(places):
    write(places[1] / ".chatcli" / "settings.toml", 'autonomy = "all"\n')
    assert load(places).settings.autonomy == "ask"


@pytest.mark.parametrize("name", PERSONAL)
def test_what_the_user_alone_may_say_is_not_taken_from_a_trusted_project(places, name):
    (row,) = (row for row in table() if row.name == name)
    for key in (row.name, row.variable):
        write(places[1] / ".chatcli" / "settings.toml", f'{key} = "on"\nmodel = "project"\n')
        loaded = load(places, trusted=True)
        assert (getattr(loaded.settings, name), loaded.settings.model) == (row.default, "project")
        (problem,) = loaded.problems
        assert (problem.variable, problem.layer) == (row.variable, "project file")
        assert problem.reason == "only your own settings, the environment or --set can say this"
    write(places[0] / "settings.toml", f'{row.name} = "on"\n')
    assert getattr(load(places, trusted=True).settings, name) == "on"


def test_a_broken_file_is_one_line_that_names_file_and_line(places):
    write(places[0] / "settings.toml", 'model = "x"\nmax_turns = = 3\n')
    with pytest.raises(UsageError, match=r"settings\.toml is not valid TOML.*line 2"):
        load(places)


def test_a_value_out_of_bounds_is_reported_by_name_with_what_is_used(places):
    loaded = load(places, environment={"CHATCLI_AGENT_EARLY_EXIT_TURNS": "99"})
    (problem,) = loaded.problems
    assert (problem.variable, problem.layer, problem.used) == (
        "CHATCLI_AGENT_EARLY_EXIT_TURNS",
        "environment",
        10,
    )
    assert loaded.settings.early_exit_turns == 10


def test_an_unreadable_value_keeps_the_layer_below(places):
    write(places[0] / "settings.toml", "max_turns = 9\n")
    loaded = load(places, environment={"CHATCLI_AGENT_PLUGIN_MAX_TURNS": "many"})
    assert loaded.settings.max_turns == 9
    assert loaded.problems[0].why == "is not a number"


def test_an_unknown_name_in_a_file_is_reported_with_the_nearest(places):
    write(places[0] / "settings.toml", "max_turn = 9\n")
    (problem,) = load(places).problems
    assert "max_turns" in problem.why


def test_an_unknown_name_on_the_command_line_is_an_error(places):
    with pytest.raises(UsageError, match="CHATCLI_NONE"):
        load(places, assignments=["CHATCLI_NONE=1"])


def test_an_assignment_needs_an_equals_sign(places):
    with pytest.raises(UsageError, match="NAME=VALUE"):
        load(places, assignments=["CHATCLI_LANG"])


def test_own_prices_are_no_settings_and_are_in_use(places):
    write(places[0] / "settings.toml", '[prices."my-model"]\ninput = 2\noutput = 4.5\n')
    assert load(places).problems == ()
    assert cost_usd("OPENAI", "my-model", Usage(input=10**6, output=10**6)) == 6.5


@pytest.mark.parametrize("line", ["input = -1", "input = 'cheap'", "in = 2"])
def test_a_price_that_cannot_be_one_is_told_and_left_out(places, line):
    write(places[0] / "settings.toml", f'[prices."my-model"]\noutput = 4.5\n{line}\n')
    (problem,) = load(places).problems
    assert problem.variable == "prices.my-model"
    assert cost_usd("OPENAI", "my-model", Usage(input=10**6)) is None


def test_a_problem_is_told_in_the_language_that_the_settings_choose(places, monkeypatch):
    loaded = load(places, environment={"CHATCLI_AGENT_EARLY_EXIT_TURNS": "99"})
    (problem,) = loaded.problems
    assert problem.reason == "must be at most 10"
    portuguese = NullTranslations()
    monkeypatch.setattr(portuguese, "gettext", {"must be at most {about}": "deve ser no máximo {about}"}.get)
    monkeypatch.setattr(i18n, "_catalogue", portuguese)
    assert problem.reason == "deve ser no máximo 10"
