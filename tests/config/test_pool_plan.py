"""The connection budget over every number of processes."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest

from config import pool_plan

if TYPE_CHECKING:
    from tests.config.conftest import Place


@pytest.mark.parametrize("processes", range(1, 65))
def test_it_never_plans_beyond_the_budget_without_saying_so(place: Place, processes: int) -> None:
    """Web and worker totals fit the budget, or every process has its floor and the warning is loud."""
    for workers, budget in product((1, 2, 8), (1, 3, 10, 40, 90, 200)):
        settings = place.load(
            PROCESS_COUNT=str(processes), LPS_WORKER__PROCESSES=str(workers), DB_CONNECTION_BUDGET=str(budget)
        )
        web, worker = pool_plan(settings, "web"), pool_plan(settings, "worker")
        assert web.total == processes * (web.size + web.overflow)
        assert worker.total == workers * (worker.size + 1)
        fits = processes + 2 * workers <= budget
        assert (web.total + worker.total <= budget) == fits == (web.warning is None) == (worker.warning is None)
        if not fits:
            assert (web.capacity, worker.capacity) == (1, 1)


@pytest.mark.parametrize(
    ("processes", "web", "worker"),
    [(1, 8, 8), (2, 8, 8), (4, 7, 7), (8, 4, 4), (16, 2, 2), (32, 1, 1), (38, 1, 1), (64, 1, 1)],
)
def test_it_shrinks_the_pools_as_processes_grow(place: Place, processes: int, web: int, worker: int) -> None:
    """The default budget of 40 with one worker process, as the operations guide promises."""
    settings = place.load(PROCESS_COUNT=str(processes))
    assert (pool_plan(settings, "web").capacity, pool_plan(settings, "worker").capacity) == (web, worker)


def test_it_says_the_numbers_as_the_guide_does(place: Place) -> None:
    """The start line of the operations guide."""
    settings = place.load(PROCESS_COUNT="4", DB_POOL_SIZE="5", DB_MAX_OVERFLOW="2", DB_CONNECTION_BUDGET="90")
    line = "DB Pool : pool_size=5 max_overflow=2 × 4workers = 28 conns (budget=90)"
    assert pool_plan(settings, "web").line == line
    line = "DB Pool : pool_size=5 max_overflow=0 × 1workers = 6 conns (budget=90, 1 listener each)"
    assert pool_plan(settings, "worker").line == line


def test_it_lets_explicit_numbers_win_over_the_budget_and_warns(place: Place) -> None:
    """DB_POOL_SIZE and DB_MAX_OVERFLOW are obeyed, even when they are too much."""
    plan = pool_plan(place.load(PROCESS_COUNT="8", DB_POOL_SIZE="10", DB_MAX_OVERFLOW="5"), "web")
    assert (plan.size, plan.overflow, plan.total) == (10, 5, 120)
    assert "131 connections, the budget is 40: raise DB_CONNECTION_BUDGET" in str(plan.warning)


def test_it_takes_an_explicit_overflow_out_of_the_share(place: Place) -> None:
    """Overflow is part of the budget, not on top of it."""
    plan = pool_plan(place.load(PROCESS_COUNT="4", DB_MAX_OVERFLOW="3"), "web")
    assert (plan.size, plan.overflow, plan.warning) == (4, 3, None)


def test_it_is_unbounded_with_a_budget_of_zero(place: Place) -> None:
    """0 switches the bound off: a connection for every thread."""
    plan = pool_plan(place.load(PROCESS_COUNT="64", DB_CONNECTION_BUDGET="0"), "web")
    assert (plan.size, plan.total, plan.warning) == (8, 512, None)


def test_it_gives_a_command_line_two(place: Place) -> None:
    """A command holds little and not for long."""
    assert pool_plan(place.load(), "cli").capacity == 2
