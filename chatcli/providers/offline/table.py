"""The table of intents. Rows are tried in order; the first pattern that fits the whole request wins.

Patterns are folded (no accents); `chatcli.providers.offline.patterns` explains their language.
"""

from __future__ import annotations

from chatcli.providers.offline import look_intents, talk_intents, work_intents

INTENTS = (*talk_intents.INTENTS, *look_intents.INTENTS, *work_intents.INTENTS)
