"""The database's clock in a test's hands."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.conftest import Database


class Clock:
    """The database's clock, standing but for the test's moves."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._at = datetime.now(UTC).replace(second=5)
        self.move(0)

    def move(self, seconds: float) -> None:
        """Later by so much."""
        self._at += timedelta(seconds=seconds)
        self._set(f"'{self._at.isoformat()}'::timestamptz")

    def _set(self, expression: str) -> None:
        self._database.rows(
            f"CREATE OR REPLACE FUNCTION lps.now() RETURNS timestamptz LANGUAGE sql STABLE AS $$SELECT {expression}$$"
        )

    def restore(self) -> None:
        """As it was made."""
        self._set("statement_timestamp()")
