"""One figure of a benchmark and how it is printed."""

from __future__ import annotations

from msgspec import Struct


class Figure(Struct, frozen=True, kw_only=True):
    """A measured value with the bound that the product promises, in the same unit."""

    name: str
    value: float
    bound: float
    unit: str
    detail: str = ""

    @property
    def met(self) -> bool:
        return self.value <= self.bound


def show(figure: Figure) -> None:
    mark = "ok  " if figure.met else "OVER"
    value = f"{figure.value:>9.2f} {figure.unit:<4}"
    print(f"{mark} {figure.name:<46} {value} (bound {figure.bound:g}) {figure.detail}", flush=True)
