"""Stands in for the library in the worker process: says what a script beside the model file says.

The script is a JSON list of replies, each a list of steps; bodies of requests are added to `MODEL.seen`.
A step is `{"text": "..."}`, `{"hold": true}`, `{"error": {...}}`, `{"cut": true}`, `{"die": true}`, or
`{"finish": "length"}`.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

PROMPT_TOKENS, CACHED_TOKENS = 100, 60


class CommonParams(SimpleNamespace):
    def __init__(self) -> None:
        super().__init__(
            model=SimpleNamespace(), cpuparams=SimpleNamespace(), cpuparams_batch=SimpleNamespace()
        )


class Server:
    def __init__(self, params: CommonParams) -> None:
        self._model = Path(params.model.path)
        self._script = Path(f"{self._model}.script")
        if not self._script.exists():
            raise RuntimeError("Failed to init server, please check the input params.")
        Path(f"{self._model}.environment").write_text("\n".join(os.environ), encoding="utf-8")
        os.write(1, b"native code prints what it likes\n")

    def handle_chat_completions(self, body: dict[str, Any], hear: Any) -> None:
        with Path(f"{self._model}.seen").open("a", encoding="utf-8") as seen:
            seen.write(json.dumps(body) + "\n")
        for processed in (PROMPT_TOKENS - 20, PROMPT_TOKENS):  # told once a batch
            progress = {"total": PROMPT_TOKENS, "cache": CACHED_TOKENS, "processed": processed}
            if hear({"choices": [{"delta": {"content": None}}], "prompt_progress": progress}):
                return
        steps, *others = json.loads(self._script.read_text(encoding="utf-8"))
        self._script.write_text(json.dumps(others), encoding="utf-8")
        written, finish = 0, "stop"
        for step in steps:
            if "error" in step:
                hear({"error": step["error"]})
                return
            if "cut" in step:
                return
            if "die" in step:
                os._exit(9)
            if "hold" in step:
                while not hear({"choices": [{"delta": {}}]}):
                    time.sleep(0.01)
                return
            finish = step.get("finish", finish)
            if "text" in step or "thought" in step:
                written += 1
                delta = {"content": step.get("text"), "reasoning_content": step.get("thought")}
                if hear({"choices": [{"delta": delta, "finish_reason": None}]}):
                    return
        hear({"choices": [{"delta": {}, "finish_reason": finish}]})
        cached = {"cached_tokens": CACHED_TOKENS}
        usage = {
            "prompt_tokens": PROMPT_TOKENS,
            "completion_tokens": written,
            "prompt_tokens_details": cached,
        }
        hear({"choices": [], "usage": usage})
