"""Opens a conversation from what the command line said. Nothing heavy is imported here."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from chatcli.agent.clock import Clock, utc_now
from chatcli.agent.conversation import Conversation
from chatcli.agent.person import Person
from chatcli.agent.sessions import Sessions
from chatcli.agent.settings_files import load_settings
from chatcli.agent.text_protocol.choice import with_tools
from chatcli.errors import StorageError, UsageError
from chatcli.extensions.rules import read_rules
from chatcli.gate.trust import Trust
from chatcli.i18n import _, choose_language, set_language
from chatcli.providers import table
from chatcli.providers.base import Provider
from chatcli.providers.credentials import Credential, find_key
from chatcli.providers.failover import Failover, parse_fallbacks
from chatcli.providers.spec import ProviderSpec
from chatcli.session.log import configure_log
from chatcli.session.workspace import reap_stale
from chatcli.settings import Loaded, Settings
from chatcli.tools.registry import Registry


class Start(Struct, frozen=True, kw_only=True):
    """The flags of the command line, as given. Empty means: not given."""

    provider: str = ""
    model: str = ""
    folder: str = ""
    mode: str = ""
    trust: bool = False
    autonomy: str = ""
    allow: tuple[str, ...] = ()
    resume: str = ""
    """Id of the session to go on with; `latest` for the last one of the folder."""
    fork: bool = False
    """Go on in a copy of the session: for one that another process holds."""
    assignments: tuple[str, ...] = ()
    max_turns: int = 0
    max_cost_usd: float = 0.0
    debug: bool = False


def home_folder(environment: Mapping[str, str]) -> Path:
    """`CHATCLI_HOME`, else `~/.chatcli`; created 0700."""
    home = Path(environment.get("CHATCLI_HOME") or Path(environment.get("HOME") or "~") / ".chatcli")
    home = home.expanduser().absolute()
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(
            _("chatcli cannot keep its files in {home}: {error}").format(home=home, error=error.strerror),
            hint=_("Set CHATCLI_HOME to a folder that you may write to."),
        ) from error
    return home


def open_conversation(
    start: Start,
    *,
    home: Path,
    environment: Mapping[str, str],
    person: Person,
    clock: Clock = utc_now,
) -> Conversation:
    """Everything that must be right before the first word: raises a `UserFacingError` otherwise.

    A session that another process holds raises `SessionLocked`; `fork=True` goes on in a copy. `clock`
    tells when requests are sent: what was cached before may be gone by then.
    """
    configure_log(home, start.debug)
    folder = project_folder(start.folder)
    trust = Trust(home)
    if start.trust:
        trust.trust(folder)
    trusted = trust.is_trusted(folder)
    loaded = _load(start, home, folder, trusted=trusted, environment=environment, person=person)
    set_language(choose_language(loaded.settings.lang, environment))
    provider, reason = connect(loaded.settings, home=home, environment=environment)
    sessions = Sessions(
        home=home,
        folder=folder,
        tmp=Path(environment.get("TMPDIR") or tempfile.gettempdir()),
        quota_bytes=loaded.settings.session_quota_bytes,
    )
    reap_stale(sessions.tmp)
    session = sessions.resume(start.resume, fork=start.fork) if start.resume else sessions.new()
    return Conversation(
        session=session,
        sessions=sessions,
        loaded=loaded,
        allow=start.allow,
        rules=read_rules(home, folder, trusted=trusted),
        registry=_registry(home, loaded.settings),
        provider=provider,
        chosen_because=reason,
        mode=start.mode or session.mode or default_mode(provider),
        person=person,
        environment=environment,
        clock=clock,
    )


def _registry(home: Path, settings: Settings) -> Registry:
    """All tools; without the memory where the user has switched it off."""
    registry = Registry.load(home / "plugins")
    return registry.without("memory") if settings.memory_mode == "off" else registry


def connect(settings: Settings, *, home: Path, environment: Mapping[str, str]) -> tuple[Provider, str]:
    """The provider that settings and credentials choose, and why that one, in words for a person."""

    def find(variables: Sequence[str]) -> Credential | None:
        return find_key(variables, environment, home)

    choice = table.choose(settings.provider, environment, find, home=home)
    model = settings.model or choice.model

    def create(spec: ProviderSpec, model: str) -> Provider:
        provider = table.create(spec, model, settings, environment, find, home=home)
        return with_tools(provider, spec, settings.tool_protocol)

    first = create(choice.spec, model)
    fallbacks = [create(*row) for row in parse_fallbacks(settings.fallback_providers)]
    return (Failover(first, fallbacks) if fallbacks else first), choice.reason


def default_mode(provider: Provider) -> str:
    """Plain text goes to chat at first; without a model only the loop can answer anything."""
    return "agent" if provider.name == "OFFLINE" else "chat"


def project_folder(given: str) -> Path:
    """The folder to work in, without links. Raises `UsageError`, also when the current one was removed."""
    folder = Path(given or ".").expanduser()
    try:
        folder = folder.resolve(strict=True)
    except OSError as error:
        raise UsageError(
            _("The folder {folder} cannot be used: {error}").format(folder=folder, error=error.strerror)
        ) from error
    if not folder.is_dir():
        raise UsageError(_("{folder} is not a folder.").format(folder=folder))
    return folder


def _load(
    start: Start,
    home: Path,
    folder: Path,
    *,
    trusted: bool,
    environment: Mapping[str, str],
    person: Person,
) -> Loaded:
    """Settings with the flags on top: a flag is a setting said for this run."""
    flags = {
        "provider": start.provider,
        "model": start.model,
        "autonomy": start.autonomy or _autonomy_without_flag(person, start.allow),
        "max_turns": str(start.max_turns or ""),
        "session_budget_usd": str(start.max_cost_usd or ""),
    }
    assignments = [*start.assignments, *(f"{name}={value}" for name, value in flags.items() if value)]
    loaded = load_settings(home, folder, trusted=trusted, environment=environment, assignments=assignments)
    for problem in loaded.problems:
        if problem.layer == "--set":
            raise UsageError(
                _("{value!r} cannot be used for {variable}: {why}.").format(
                    value=problem.value, variable=problem.variable, why=problem.reason
                )
            )
    return loaded


def _autonomy_without_flag(person: Person, allow: Sequence[str]) -> str:
    """Without a terminal only reading runs, and what `--allow` names; with one, the setting decides."""
    if person.present:
        return ""
    return "ask" if allow else "plan"
