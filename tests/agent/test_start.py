"""What the command line asked for, before the first word: one clear line when it cannot be done."""

import pytest

from chatcli.agent.start import Start, default_mode, home_folder, open_conversation
from chatcli.errors import AuthError, StorageError, UsageError
from tests.agent.conftest import FakePerson


@pytest.fixture
def start(tmp_path):
    """Opens with these flags and variables; closes the session again."""
    opened = []

    def go(*, present=True, environment=None, **flags):
        folder = tmp_path / "project"
        folder.mkdir(exist_ok=True)
        variables = {"HOME": str(tmp_path), "TMPDIR": str(tmp_path), "OLLAMA_BASE_URL": "http://127.0.0.1:9"}
        home = home_folder({**variables, "CHATCLI_HOME": str(tmp_path / "home")})
        conversation = open_conversation(
            Start(folder=str(flags.pop("folder", folder)), **flags),
            home=home,
            environment={**variables, **(environment or {})},
            person=FakePerson(present=present),
        )
        opened.append(conversation)
        return conversation

    yield go
    for conversation in opened:
        conversation.session.close()


def test_without_a_key_and_without_ollama_offline_answers_in_agent_mode(start):
    conversation = start()
    assert (conversation.provider.name, conversation.mode) == ("OFFLINE", "agent")
    assert "no key" in conversation.chosen_because


def test_with_a_key_plain_text_goes_to_chat_at_first(start):
    conversation = start(environment={"ANTHROPIC_API_KEY": "sk-ant-x"})
    assert (conversation.provider.name, conversation.mode) == ("CLAUDEAI", "chat")
    assert default_mode(conversation.provider) == "chat"


def test_a_missing_key_is_one_line_with_a_hint(start):
    with pytest.raises(AuthError) as caught:
        start(provider="CLAUDEAI")
    assert "ANTHROPIC_API_KEY" in caught.value.message + caught.value.hint
    assert "chatcli setup" in caught.value.hint


def test_an_unknown_provider_names_the_known_ones(start):
    with pytest.raises(UsageError) as caught:
        start(provider="CLAUDAI")
    assert "CLAUDEAI" in caught.value.message + caught.value.hint


def test_a_folder_that_is_not_there_is_a_usage_error(start, tmp_path):
    with pytest.raises(UsageError, match="cannot be used"):
        start(folder=tmp_path / "nowhere")


def test_without_a_person_only_reading_runs(start):
    assert start(present=False).gate.autonomy == "plan"
    assert start(present=False, allow=("exec:pytest *",)).gate.autonomy == "ask"
    assert start(present=False, autonomy="edits").gate.autonomy == "edits"


def test_a_flag_that_cannot_be_used_is_an_error_and_not_a_surprise(start):
    with pytest.raises(UsageError, match="must be one of"):
        start(autonomy="everything")


def test_an_unwritable_home_is_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot keep its files"):
        home_folder({"CHATCLI_HOME": str(tmp_path / "file" / "home")})


def test_continue_without_an_earlier_session_says_so(start):
    with pytest.raises(UsageError, match="no earlier session"):
        start(resume="latest")


def test_the_project_file_counts_only_when_the_folder_is_trusted(start, tmp_path):
    (tmp_path / "project" / ".chatcli").mkdir(parents=True)
    (tmp_path / "project" / ".chatcli" / "settings.toml").write_text('autonomy = "all"\n', encoding="utf-8")
    assert start().gate.autonomy == "ask"
    assert start(trust=True).gate.autonomy == "all"
