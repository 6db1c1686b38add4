"""Every setting, once: name, variable, type, default, bounds, help.

The class `Settings` *is* the table: the reference in `docs/` and `/config` are generated from it.
Layers, later ones win: defaults < user file < project file (trusted folders only) < environment <
`--set`. A value that is unreadable or out of bounds is reported once, by name, together with what
is used instead. Nothing else in chatcli reads the environment for a setting.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from msgspec import Meta, Struct, structs

from chatcli.i18n import N_, _

Schedule = Literal["auto", "eager", "off"]
Preset = Literal["none", "trueforge", "lookup"]
Autonomy = Literal["plan", "ask", "edits", "all"]
CacheTtl = Literal["5m", "1h"]
SmartRoute = Literal["off", "hint", "auto"]
MemoryMode = Literal["index", "full", "off"]
MemoryLearn = Literal["ask", "on", "off"]
ToolProtocol = Literal["auto", "native", "text"]

PRESETS: Mapping[str, Mapping[str, str]] = {
    "trueforge": {"tool_result_max_tokens": "6000", "tool_result_budget_tokens": "10000"},
    "lookup": {
        "microcompact_truncate_turns": "1",
        "microcompact_summarize_turns": "3",
        "microcompact_head_chars": "1200",
        "microcompact_tail_chars": "300",
        "microcompact_min_content": "2000",
    },
}
"""Settings in one word: a layer above the defaults, below everything that is set by itself."""

_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})


def _meta(
    variable: str,
    help: str,
    *,
    ge: float | None = None,
    le: float | None = None,
    aliases: tuple[str, ...] = (),
    spellings: Mapping[str, str] | None = None,
) -> Meta:
    """One row: `spellings` maps other accepted words to the canonical value."""
    extra = {"variable": variable, "aliases": aliases, "spellings": dict(spellings or {})}
    return Meta(ge=ge, le=le, description=help, extra=extra)


class Settings(Struct, frozen=True, kw_only=True):
    """All settings, typed. Build one with `load`; tests build one directly."""

    provider: Annotated[str, _meta("LLM_PROVIDER", "Provider; empty: the first with credentials.")] = ""
    model: Annotated[
        str, _meta("CHATCLI_MODEL", "Model id; empty: the provider's own variable, else its default.")
    ] = ""
    lang: Annotated[
        str, _meta("CHATCLI_LANG", "Language of the screen: en or pt_BR; empty: from the locale.")
    ] = ""
    autonomy: Annotated[
        Autonomy,
        _meta("CHATCLI_AUTONOMY", "What runs without asking: plan (reading), ask, edits, all."),
    ] = "ask"
    max_output_tokens: Annotated[
        int, _meta("CHATCLI_MAX_OUTPUT_TOKENS", "Longest reply in tokens; 0: the model's own limit.", ge=0)
    ] = 0
    tool_protocol: Annotated[
        ToolProtocol,
        _meta(
            "CHATCLI_TOOL_PROTOCOL",
            "How tools are called: native, text, or auto (native where the model can, else text).",
        ),
    ] = "auto"
    context_window_tokens: Annotated[
        int,
        _meta("CHATCLI_CONTEXT_WINDOW", "Size of the model's window in tokens; 0: from the catalogue.", ge=0),
    ] = 0
    ollama_num_ctx: Annotated[
        int,
        _meta(
            "CHATCLI_OLLAMA_NUM_CTX",
            "Window asked of Ollama in tokens (it silently cuts at its own default otherwise).",
            ge=2_048,
        ),
    ] = 32_768

    max_turns: Annotated[
        int,
        _meta("CHATCLI_AGENT_PLUGIN_MAX_TURNS", "Turns of one run before it stops.", ge=1, le=200),
    ] = 50
    max_parallel_calls: Annotated[
        int, _meta("CHATCLI_MAX_PARALLEL_CALLS", "Read-only calls of one turn that run at once.", ge=1, le=32)
    ] = 8
    session_budget_usd: Annotated[
        float,
        _meta("CHATCLI_SESSION_BUDGET_USD", "Money a session may cost before it stops; 0: no limit.", ge=0),
    ] = 0.0
    cold_cache_usd: Annotated[
        float,
        _meta(
            "CHATCLI_COLD_CACHE_WARNING_USD",
            "A turn that pays more than this because the cache is lost is told beforehand; 0: never.",
            ge=0,
        ),
    ] = 0.1
    cache_ttl: Annotated[
        CacheTtl,
        _meta(
            "CHATCLI_CACHE_TTL",
            "How long an explicit cache keeps what it stored: 5m (written at 1.25 times the price of input)"
            " or 1h (2 times).",
        ),
    ] = "5m"
    early_exit: Annotated[
        bool,
        _meta("CHATCLI_AGENT_EARLY_EXIT", "Stop a run that only repeats itself."),
    ] = True
    early_exit_turns: Annotated[
        int,
        _meta("CHATCLI_AGENT_EARLY_EXIT_TURNS", "Equal turns in a row that end a run.", ge=2, le=10),
    ] = 3
    smart_route: Annotated[
        SmartRoute,
        _meta(
            "CHATCLI_AGENT_SMART_ROUTE",
            "A question that needs no tools, given to the agent: off, hint (a tip), auto (chat answers it).",
            spellings={
                **dict.fromkeys(("0", "false", "no"), "off"),
                **dict.fromkeys(("1", "on", "true"), "hint"),
                **dict.fromkeys(("2", "redirect"), "auto"),
            },
        ),
    ] = "hint"
    command_timeout_seconds: Annotated[
        int, _meta("CHATCLI_AGENT_CMD_TIMEOUT", "Time limit of one command, in seconds.", ge=1, le=86_400)
    ] = 600

    ca_bundle: Annotated[
        str,
        _meta(
            "CHATCLI_CA_BUNDLE",
            "A PEM file, or a folder of them: certificate authorities trusted beside the usual ones.",
        ),
    ] = ""
    stream_idle_seconds: Annotated[
        int,
        _meta("CHATCLI_STREAM_IDLE_TIMEOUT_SECONDS", "A stream silent for this long is cut.", ge=1, le=3_600),
    ] = 90
    copilot_client_id: Annotated[
        str,
        _meta("CHATCLI_COPILOT_CLIENT_ID", "Id of the GitHub app as which `auth login COPILOT` asks."),
    ] = ""
    fallback_providers: Annotated[
        str,
        _meta(
            "CHATCLI_FALLBACK_PROVIDERS",
            "Who takes over while the provider fails: NAME or NAME/MODEL, in order, separated by commas.",
        ),
    ] = ""
    max_retries: Annotated[
        int, _meta("MAX_RETRIES", "Retries of a request before any of its reply was shown.", ge=0, le=20)
    ] = 5
    initial_backoff_seconds: Annotated[
        float, _meta("INITIAL_BACKOFF", "First wait between retries; doubles, with jitter.", ge=0, le=60)
    ] = 1.0

    tool_result_preset: Annotated[
        Preset,
        _meta(
            "CHATCLI_TOOL_RESULT_PRESET",
            "trueforge: token limits, short previews; lookup: old results go early; none.",
        ),
    ] = "none"
    tool_result_max_chars: Annotated[
        int, _meta("CHATCLI_TOOL_RESULT_MAX_CHARS", "Longest single result shown to the model.", ge=1_000)
    ] = 20_000
    tool_result_budget_chars: Annotated[
        int,
        _meta("CHATCLI_TOOL_RESULT_BUDGET_CHARS", "All results of one turn together.", ge=1_000),
    ] = 200_000
    tool_result_max_tokens: Annotated[
        int,
        _meta("CHATCLI_TOOL_RESULT_MAX_TOKENS", "The same limit for one result in tokens; 0: off.", ge=0),
    ] = 0
    tool_result_budget_tokens: Annotated[
        int, _meta("CHATCLI_TOOL_RESULT_BUDGET_TOKENS", "The same limit for a turn in tokens; 0: off.", ge=0)
    ] = 0
    compression: Annotated[
        bool, _meta("CHATCLI_COMPRESSION", "Show long logs and JSON without what is like the rest.")
    ] = False
    microcompact_truncate_turns: Annotated[
        int,
        _meta("CHATCLI_MICROCOMPACT_TRUNCATE_TURNS", "Age in turns at which an old result may be cut.", ge=1),
    ] = 2
    microcompact_summarize_turns: Annotated[
        int,
        _meta("CHATCLI_MICROCOMPACT_SUMMARIZE_TURNS", "Age in turns at which it may become one line.", ge=1),
    ] = 4
    microcompact_head_chars: Annotated[
        int, _meta("CHATCLI_MICROCOMPACT_HEAD_CHARS", "Beginning kept of a result cut for age.", ge=0)
    ] = 2_000
    microcompact_tail_chars: Annotated[
        int, _meta("CHATCLI_MICROCOMPACT_TAIL_CHARS", "End kept of a result cut for age.", ge=0)
    ] = 500
    microcompact_min_content: Annotated[
        int,
        _meta("CHATCLI_MICROCOMPACT_MIN_CONTENT", "Results up to this long are left alone.", ge=1_000),
    ] = 3_000

    microcompact_schedule: Annotated[
        Schedule,
        _meta(
            "CHATCLI_MICROCOMPACT_SCHEDULE",
            "When old results are shortened: auto (when it pays), eager (by age), off.",
        ),
    ] = "auto"

    webfetch_autosave_bytes: Annotated[
        int,
        _meta(
            "CHATCLI_WEBFETCH_AUTOSAVE_BYTES",
            "A fetched text above this size is saved to a file and shown by its beginning.",
            ge=1_000,
        ),
    ] = 10_000
    web_proxy: Annotated[
        str,
        _meta("CHATCLI_WEB_PROXY", "The proxy that web tools go through, as http://proxy.example:3128."),
    ] = ""
    searxng_url: Annotated[
        str, _meta("SEARXNG_URL", "A SearxNG server that web searches go to first; it may be a local one.")
    ] = ""

    memory_mode: Annotated[
        MemoryMode,
        _meta(
            "CHATCLI_MEMORY_MODE",
            "What a session knows of the memory: index (what there is; the agent recalls what it needs),"
            " full (what fits each message comes with it), off. In /chat, where no tool runs, index is full.",
        ),
    ] = "index"
    memory_budget_chars: Annotated[
        int,
        _meta("CHATCLI_MEMORY_RETRIEVAL_BUDGET", "Longest text of facts that comes with a message.", ge=200),
    ] = 4_000
    memory_learn: Annotated[
        MemoryLearn,
        _meta(
            "CHATCLI_MEMORY_LEARN",
            "Learn lasting facts from what you say, by a request to the model: ask (once), on, off.",
        ),
    ] = "ask"
    memory_hyde: Annotated[
        bool,
        _meta(
            "CHATCLI_MEMORY_HYDE",
            "Recall by what an answer might look like too, as the model imagines it: a request each time.",
        ),
    ] = False

    keep_tmpdir: Annotated[
        bool, _meta("CHATCLI_AGENT_KEEP_TMPDIR", "Keep the session's workspace folder at exit.")
    ] = False
    session_quota_bytes: Annotated[
        int,
        _meta("CHATCLI_SESSION_QUOTA_BYTES", "Bytes of results that one session archives.", ge=1_000_000),
    ] = 1_000_000_000
    archive_quota_bytes: Annotated[
        int,
        _meta("CHATCLI_ARCHIVE_QUOTA_BYTES", "Bytes kept for all closed sessions together.", ge=1_000_000),
    ] = 256_000_000
    archive_days: Annotated[
        int, _meta("CHATCLI_ARCHIVE_DAYS", "Days for which closed sessions are kept.", ge=1)
    ] = 7
    history: Annotated[bool, _meta("CHATCLI_HISTORY", "Remember what was typed, for the arrow keys.")] = True


class Row(Struct, frozen=True, kw_only=True):
    """One setting as the reference shows it."""

    name: str
    variable: str
    type: str
    default: Any
    minimum: float | None
    maximum: float | None
    choices: tuple[str, ...]
    aliases: tuple[str, ...]
    spellings: Mapping[str, str]
    help: str


class Problem(Struct, frozen=True, kw_only=True):
    """A value that could not be taken: from `layer`, and what is used instead."""

    variable: str
    layer: str
    value: str
    why: str
    """In English, with `{about}` for what `about` holds; `reason` is what a person reads."""
    about: str = ""
    used: Any

    @property
    def reason(self) -> str:
        """Looked up when it is shown: the language is chosen after the settings are read."""
        return _(self.why).format(about=self.about) if self.about else _(self.why)


class Origin(Struct, frozen=True):
    """Where a setting's value came from: `default`, `user file`, `environment`, `--set` ..."""

    layer: str
    text: str


class Loaded(Struct, frozen=True, kw_only=True):
    """Settings with the story of each value."""

    settings: Settings
    problems: tuple[Problem, ...]
    origins: Mapping[str, Origin]
    """By name, for settings that are not at their default."""


def table() -> Iterator[Row]:
    """The rows of `Settings`, in the order in which they are declared."""
    hints = get_type_hints(Settings, include_extras=True)
    for field in structs.fields(Settings):
        base, meta = get_args(hints[field.name])
        choices = get_args(base) if get_origin(base) is Literal else ()
        yield Row(
            name=field.name,
            variable=meta.extra["variable"],
            type="choice" if choices else base.__name__,
            default=field.default,
            minimum=meta.ge,
            maximum=meta.le,
            choices=choices,
            aliases=meta.extra["aliases"],
            spellings=meta.extra["spellings"],
            help=meta.description,
        )


def load(layers: Sequence[tuple[str, Mapping[str, str]]]) -> Loaded:
    """Settings from `(layer name, {variable or name: text})` pairs, the last one winning.

    Names that are no setting are ignored: layers such as the environment hold much else.
    """
    values: dict[str, Any] = {}
    origins: dict[str, Origin] = {}
    problems: list[Problem] = []
    for row in table():
        keys = (*row.aliases, row.name, row.variable)
        preset = values.get("tool_result_preset", "")
        for layer, texts in ((f"preset {preset}", PRESETS.get(preset, {})), *layers):
            for key in keys:
                if (text := texts.get(key)) is None:
                    continue
                try:
                    value, (why, about) = _parse(row, text)
                except _UnreadableError as error:
                    value, why, about = values.get(row.name, row.default), error.why, error.about
                else:
                    values[row.name] = value
                    origins[row.name] = Origin(layer, text)
                if why:
                    problems.append(
                        Problem(
                            variable=row.variable, layer=layer, value=text, why=why, about=about, used=value
                        )
                    )
    return Loaded(settings=Settings(**values), problems=tuple(problems), origins=origins)


class _UnreadableError(ValueError):
    """A text spells no value of this row; `why` and `about` as in `Problem`."""

    def __init__(self, why: str, about: str = "") -> None:
        super().__init__(why)
        self.why = why
        self.about = about


_NO_PROBLEM = ("", "")


def _parse(row: Row, text: str) -> tuple[Any, tuple[str, str]]:
    """The value that `text` spells and, when it had to be moved to a bound, why and about what.

    Raises `_UnreadableError` when it spells nothing.
    """
    word = text.strip()
    if row.type == "str":
        return word, _NO_PROBLEM
    lowered = row.spellings.get(word.lower(), word.lower())
    if row.type == "choice":
        if lowered not in row.choices:
            raise _UnreadableError(N_("must be one of {about}"), ", ".join(row.choices))
        return lowered, _NO_PROBLEM
    if row.type == "bool":
        if lowered not in _TRUE | _FALSE:
            raise _UnreadableError(N_("must be on or off"))
        return lowered in _TRUE, _NO_PROBLEM
    return _number(row, word)


def number_text(value: float) -> str:
    """A bound as it can be typed: 1000000, not 1e+06."""
    return str(int(value)) if value == int(value) else str(value)


def _number(row: Row, word: str) -> tuple[Any, tuple[str, str]]:
    make = float if row.type == "float" else int
    try:
        number = make(word.replace("_", ""))
    except ValueError:
        raise _UnreadableError(N_("is not a number")) from None
    if not math.isfinite(number):
        raise _UnreadableError(N_("is not a number"))
    if row.minimum is not None and number < row.minimum:
        return make(row.minimum), (N_("must be at least {about}"), number_text(row.minimum))
    if row.maximum is not None and number > row.maximum:
        return make(row.maximum), (N_("must be at most {about}"), number_text(row.maximum))
    return number, _NO_PROBLEM
