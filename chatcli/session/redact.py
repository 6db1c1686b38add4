"""Takes secrets out of text that is kept for people to read: the log, the input history.

By shape, not by value, so that secrets which chatcli never knew are covered too. Rather too much
than too little. The journal and the archive hold originals and are not redacted.
"""

from __future__ import annotations

import re
from functools import cache

REDACTED = "[redacted]"

# Group 1 is kept: enough to see what stood there. Repeats are bounded where a match may begin at
# every character, so that a hostile megabyte takes no longer than a friendly one.
_PATTERNS = (
    # Private keys, also with escaped line ends or cut short.
    r"(-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----)(?s:.)+?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|\Z)",
    # Keys of services, by their prefix.
    r"\b(sk-(?:ant-|or-|proj-)?|github_pat_|glpat-|pypi-|xox[a-z]-)[A-Za-z0-9_-]{10,}",
    r"\b(gh[a-z]_|npm_|hf_|gsk_|xai-)[A-Za-z0-9]{20,}",
    r"\b(AIza)[A-Za-z0-9_-]{30,}",
    r"\b(AKIA|ASIA)[A-Z0-9]{16}\b",
    # JSON web tokens.
    r"\b(eyJ)[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?",
    # Headers: `Name: value`, in JSON, and as Python shows pairs of str or bytes.
    r"(?i)\b((?:authorization|cookie|x-api-key|x-goog-api-key|api-key)"
    r"""\\?["']?\s{0,3}[:=,]\s{0,3}(?:b?\\?["'])?(?:(?:bearer|basic|token)\s)?)[^\s"'\\][^\r\n"'\\]*""",
    r"(?i)\b((?:bearer|basic)\s)[A-Za-z0-9+/_.~-]{16,}=*",
    # Assignments: NAME_API_KEY=..., "client_secret": "...", password: ...
    r"(?i)((?:api_?key|secret|secret_key|passwd|password|(?:access|refresh|auth|id)_?token)"
    r"""\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?)[^\s"'\\,;&]{6,}""",
    # URLs: user:password@host, and secrets in the query.
    r"""(?i)(\b[a-z][a-z0-9+.-]{0,20}://)[^\s/@"'?#]+(?=@)""",
    r"""(?i)([?&](?:key|token|sig|signature|code|access_token|api_key)=)[^&\s"']+""",
)


def redact(text: str) -> str:
    """The same text with everything that looks like a secret replaced by `REDACTED`."""
    for pattern in _compiled():
        text = pattern.sub(rf"\g<1>{REDACTED}", text)
    return text


@cache
def _compiled() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern) for pattern in _PATTERNS)
