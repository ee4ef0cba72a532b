"""Prices over time as the geometry of an SVG: numbers only, so that a template draws and escapes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from model import MALLS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from store.prices import PricePoint

WIDTH, HEIGHT = 960, 300
LEFT, RIGHT, TOP, BOTTOM = 76, 16, 12, 28
MAX_POINTS = 240
"""More cannot be told apart on this width: of each bucket the cheapest search is drawn."""


@dataclass(frozen=True, slots=True)
class Dot:
    """One price at one moment."""

    x: float
    y: float
    krw: int
    when: str
    """ISO 8601."""


@dataclass(frozen=True, slots=True)
class Line:
    """The prices of one mall, or the lowest of all ("final")."""

    name: str
    paths: list[str]
    """SVG path data, one a stretch without a gap."""
    dots: list[Dot]


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark on an axis: where, and the value (KRW) or moment (ISO 8601) there."""

    at: float
    value: int | str


@dataclass(frozen=True, slots=True)
class Chart:
    """All that is drawn."""

    lines: list[Line]
    prices: list[Tick]
    moments: list[Tick]
    target_y: float | None = None
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    bottom: int = HEIGHT - BOTTOM


def thinned(points: Sequence[PricePoint]) -> list[PricePoint]:
    """At most MAX_POINTS of them, in order: the cheapest of each bucket, the last one always."""
    if len(points) <= MAX_POINTS:
        return list(points)
    size = -(-len(points) // (MAX_POINTS - 1))
    buckets = [points[at : at + size] for at in range(0, len(points), size)]
    kept = [min(bucket, key=lambda point: point.final_lowest) for bucket in buckets]
    return kept if kept[-1] is points[-1] else [*kept, points[-1]]


def step(span: float) -> int:
    """A round distance (1, 2, 5 · 10ⁿ) that divides a span into four to eight."""
    size = 1
    while True:
        for factor in (1, 2, 5):
            if span / (size * factor) <= 8:
                return size * factor
        size *= 10


def draw(points: Sequence[PricePoint], target_krw: int | None = None) -> Chart | None:
    """The chart of a product's prices, oldest first; None when there is nothing to connect (fewer than two)."""
    shown = thinned(points)
    if len(shown) < 2:
        return None
    prices = [krw for point in shown for krw in (*point.by_mall.values(), point.final_lowest)]
    prices += [target_krw] if target_krw else []
    apart = step(max(max(prices) - min(prices), max(prices) // 20, 8))
    low, high = min(prices) // apart * apart, -(-max(prices) // apart) * apart
    first, last = shown[0].triggered_at, shown[-1].triggered_at
    span = (last - first).total_seconds() or 1

    def x(moment: datetime) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * (moment - first).total_seconds() / span, 1)

    def y(krw: int) -> float:
        return round(TOP + (HEIGHT - TOP - BOTTOM) * (high - krw) / ((high - low) or 1), 1)

    malls = [mall for mall in MALLS if any(mall in point.by_mall for point in shown)]
    lines = [_line(mall, shown, x, y, lambda point, mall=mall: point.by_mall.get(mall)) for mall in malls]  # type: ignore[misc]  # mypy cannot see a lambda's default
    lines.append(_line("final", shown, x, y, lambda point: point.final_lowest))
    middle = shown[len(shown) // 2].triggered_at
    moments = {x(moment): moment.isoformat() for moment in (first, middle, last)}
    return Chart(
        lines=lines,
        prices=[Tick(y(krw), krw) for krw in range(low, high + 1, apart)],
        moments=[Tick(at, when) for at, when in moments.items()],
        target_y=y(target_krw) if target_krw else None,
    )


def _line(
    name: str,
    points: Sequence[PricePoint],
    x: Callable[[datetime], float],
    y: Callable[[int], float],
    price: Callable[[PricePoint], int | None],
) -> Line:
    stretches = list(_stretches(points, x, y, price))
    paths = ["M" + "L".join(f"{dot.x:g} {dot.y:g}" for dot in dots) for dots in stretches if len(dots) > 1]
    return Line(name=name, paths=paths, dots=[dot for dots in stretches for dot in dots])


def _stretches(
    points: Sequence[PricePoint],
    x: Callable[[datetime], float],
    y: Callable[[int], float],
    price: Callable[[PricePoint], int | None],
) -> Iterator[list[Dot]]:
    """The dots between two searches in which the mall had no price: a gap stays a gap."""
    dots: list[Dot] = []
    for point in points:
        krw = price(point)
        if krw is not None:
            dots.append(Dot(x(point.triggered_at), y(krw), krw, point.triggered_at.isoformat()))
        elif dots:
            yield dots
            dots = []
    if dots:
        yield dots
