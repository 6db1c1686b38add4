"""All benchmarks, as ratios measured in one run: `python -m tests.bench [name ...]`."""

from __future__ import annotations

import sys

from tests.bench import cost, memory, pipeline, recall, startup, web
from tests.bench.table import Figure, show

SUITES = {
    "startup": startup.figures,
    "memory": memory.figures,
    "pipeline": pipeline.figures,
    "cost": cost.figures,
    "web": web.figures,
    "recall": recall.figures,
}


def main() -> None:
    wanted = sys.argv[1:] or list(SUITES)
    figures: list[Figure] = []
    for name in wanted:
        for figure in SUITES[name]():
            figures.append(figure)
            show(figure)
    missed = [figure.name for figure in figures if not figure.met]
    print(
        f"{len(figures) - len(missed)} of {len(figures)} within their bounds"
        + f"; over: {missed}" * bool(missed)
    )


if __name__ == "__main__":
    main()
