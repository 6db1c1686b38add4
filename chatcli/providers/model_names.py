"""One model under many names: vendor prefixes, regions, dates and the order of words."""

from __future__ import annotations

import re

_REGION = re.compile(r"^(global|us|us-gov|eu|apac|jp|au)\.(?=[a-z0-9]+\.)")
_VENDOR = re.compile(
    r"^(anthropic|amazon|meta|mistral|openai|deepseek|qwen|cohere|ai21|moonshotai|zai|minimax)\."
)
_VERSION = re.compile(r"(-\d{4}-\d{2}-\d{2}|-\d{8}|-latest)?(-v1|-v\d+:\d+)?$")


def bare_name(model: str) -> str:
    """What stays when place, vendor, date and version are left aside, in lower case.

    `global.anthropic.claude-sonnet-5-5-20260929-v1:0` and `anthropic/claude-sonnet-5-5` are
    `claude-sonnet-5-5`.
    """
    name = without_region(model.rsplit("/", 1)[-1].lower())
    return _VERSION.sub("", _VENDOR.sub("", name))


def without_region(model: str) -> str:
    """The id at Bedrock without the prefix of an inference profile."""
    return _REGION.sub("", model)


def family(model: str) -> tuple[str, ...]:
    """Equal for two names of one model: `claude-5.5-sonnet` is `claude-sonnet-5.5`."""
    return tuple(sorted(re.findall(r"[a-z0-9]+", bare_name(model))))
