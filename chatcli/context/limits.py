"""The numbers of the pipeline: how much of a result is shown, and from which age less of it."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, structs

from chatcli.messages import Presentation
from chatcli.settings import Settings

SMALLEST_CHARS = 1_000
SMALLEST_TOKENS = 300
"""No limit counts for less: a marker, with the path and the lines that it names, must have room."""

_ERROR_CHARS = 500
CAPPED = Presentation(kind="capped", head_chars=5_000, tail_chars=1_000, error_chars=_ERROR_CHARS)
REDUCED = Presentation(kind="reduced")
PREVIEW = Presentation(kind="preview", head_chars=4_000, tail_chars=1_000, error_chars=_ERROR_CHARS)

ONE_LINE = Presentation(kind="summary")

_TRUEFORGE_ENDS = {"head_chars": 100, "tail_chars": 100}


class Limits(Struct, frozen=True, kw_only=True):
    """What a result may take when it is first shown. Token limits of 0 are off."""

    max_chars: int = 20_000
    """One result; results that page themselves are limited by their tool's cap instead."""
    budget_chars: int = 200_000
    """All results of one turn together."""
    max_tokens: int = 0
    budget_tokens: int = 0
    preview: Presentation = PREVIEW
    """The most that is kept of a result that is over one of these limits."""
    capped: Presentation = CAPPED
    """The same for one that is over its tool's own cap."""
    reduces: bool = False
    """Whether long logs and JSON are shown without what is like the rest."""
    tools: Mapping[str, str] = {}
    """What the model can call, each with the parameters that make its answer smaller."""

    @classmethod
    def from_settings(cls, settings: Settings, tools: Mapping[str, str] | None = None) -> Limits:
        ends = _TRUEFORGE_ENDS if settings.tool_result_preset == "trueforge" else {}
        return cls(
            preview=structs.replace(PREVIEW, **ends),
            capped=structs.replace(CAPPED, **ends),
            reduces=settings.compression,
            tools=tools or {},
            max_chars=settings.tool_result_max_chars,
            budget_chars=settings.tool_result_budget_chars,
            max_tokens=settings.tool_result_max_tokens,
            budget_tokens=settings.tool_result_budget_tokens,
        )


class Ageing(Struct, frozen=True, kw_only=True):
    """What becomes of results of reading calls when they are old. Ages are counted in turns."""

    truncate_turns: int = 2
    summarize_turns: int = 4
    head_chars: int = 2_000
    tail_chars: int = 500
    min_content_chars: int = 3_000
    """Originals of up to this length are left alone."""

    @classmethod
    def from_settings(cls, settings: Settings) -> Ageing:
        return cls(
            truncate_turns=settings.microcompact_truncate_turns,
            summarize_turns=settings.microcompact_summarize_turns,
            head_chars=settings.microcompact_head_chars,
            tail_chars=settings.microcompact_tail_chars,
            min_content_chars=settings.microcompact_min_content,
        )

    def presentation(self, age_turns: int) -> Presentation | None:
        """How a result of this age may be shown at most; None while it is young."""
        if age_turns >= self.summarize_turns:
            return ONE_LINE
        if age_turns >= self.truncate_turns:
            return Presentation(
                kind="truncated",
                head_chars=self.head_chars,
                tail_chars=self.tail_chars,
                error_chars=_ERROR_CHARS,
            )
        return None
