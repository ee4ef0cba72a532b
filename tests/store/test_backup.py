"""Backup and restore on real databases; what is restored is treated as a stranger's file."""

from __future__ import annotations

import json
import os
import stat
import uuid
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from errors import SchemaMismatch, Setup, WrongOrigin
from store import backup, migrate
from store.pool import Pool
from tests.conftest import fresh_database
from tests.tasks.causes import CAUSES, QUEUED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.conftest import Database

MOST = 1 << 30
HOSTILE = "'; DROP TABLE job; -- \\. \t\\N 생수"


@pytest.fixture
def empty(server_url: str) -> Iterator[Pool]:
    """A database without anything."""
    with fresh_database(server_url, f"lps_test_restore_{os.getpid()}_{uuid.uuid4().hex[:6]}") as url:
        pool = Pool(url, size=2, application="lps restore test")
        yield pool
        pool.close()


@pytest.fixture
def kept(db: Database, tmp_path: Path) -> Path:
    """A backup of a database with jobs, messages, spending and an audit."""
    for rule in ("dead", "cost", "ledger_leak", "budget_leak", "proxy_ports_low"):
        db.rows(CAUSES[rule][0])
    db.rows(QUEUED.format(queue="naver"))
    db.rows("UPDATE job SET product_name = %s", HOSTILE)
    db.rows("INSERT INTO audit (who, action, subject) VALUES ('kim', 'pause', 'coupang')")
    db.rows("SELECT setval('proxy_visitor', 77)")
    target = tmp_path / "lps.backup"
    backup.dump(db.pool, target, origin="sandbox", version="t")
    return target


def contents(pool: Pool) -> dict[str, Any]:
    """Every row of every table."""
    found = {}
    with pool.transaction() as cur:
        cur.execute(backup.SQL["tables"])
        for schema, name, _ in cur.fetchall():
            cur.execute(f"SELECT coalesce(array_agg(t::text ORDER BY t::text), '{{}}') FROM {schema}.{name} t")
            found[f"{schema}.{name}"] = cur.fetchone()[0]
    return found


def remade(source: Path, target: Path, change: Callable[[str, bytes], bytes | None]) -> Path:
    """The same backup with members changed, or left out."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            data = change(name, old.read(name))
            if data is not None:
                new.writestr(name, data)
    return target


def manifest_with(source: Path, **fields: Any) -> Callable[[str, bytes], bytes]:
    """Only the manifest changed."""
    del source

    def change(name: str, data: bytes) -> bytes:
        return json.dumps(json.loads(data) | fields).encode() if name == "manifest.json" else data

    return change


def test_what_was_wiped_comes_back_as_it_was(db: Database, kept: Path, empty: Pool) -> None:
    """Every row of every table, whatever text is in it; numbering goes on after the highest."""
    before = contents(db.pool)
    assert 24 == len(before["public.job"])
    backup.load(empty, kept, origin="sandbox", most_bytes=MOST)
    assert before == contents(empty)
    with empty.transaction() as cur:
        cur.execute("INSERT INTO audit (who, action, subject) VALUES ('lee', 'resume', 'coupang') RETURNING audit_id")
        assert cur.fetchone()[0] > int(db.rows("SELECT max(audit_id) FROM audit")[0][0])  # type: ignore[call-overload]  # a number
    migrate.check(empty, "sandbox")
    was = db.rows("SELECT last_value FROM proxy_visitor")
    with empty.transaction() as cur:
        cur.execute("SELECT last_value FROM proxy_visitor")
        assert was == cur.fetchall()


def test_a_backup_is_its_owners_alone_and_whole_or_not_there(db: Database, kept: Path, tmp_path: Path) -> None:
    """0600; what could not be written leaves nothing behind."""
    assert 0o600 == stat.S_IMODE(kept.stat().st_mode)
    with pytest.raises(OSError, match="No such file"):
        backup.dump(db.pool, tmp_path / "none" / "x", origin="sandbox", version="t")
    assert [kept] == list(tmp_path.iterdir())


def test_a_database_in_use_is_left_alone(db: Database, kept: Path) -> None:
    """Nothing is merged."""
    before = contents(db.pool)
    with pytest.raises(Setup, match="has searches already"):
        backup.load(db.pool, kept, origin="sandbox", most_bytes=MOST)
    assert before == contents(db.pool)


def test_the_other_world_and_a_newer_version_are_refused(kept: Path, empty: Pool, tmp_path: Path) -> None:
    """By name, before anything is done."""
    with pytest.raises(WrongOrigin):
        backup.load(empty, kept, origin="live", most_bytes=MOST)
    newer = remade(kept, tmp_path / "n", manifest_with(kept, migrations={"9999": "0" * 64}))
    with pytest.raises(SchemaMismatch, match="9999"):
        backup.load(empty, newer, origin="sandbox", most_bytes=MOST)


def tampered(case: str, source: Path, target: Path) -> Path:
    """One of the ways in which a file can lie."""
    tables = json.loads(zipfile.ZipFile(source).read("manifest.json"))["tables"]
    job = next(table for table in tables if table["table"] == "public.job")
    if case == "no zip":
        target.write_bytes(b"PK\x03\x04 not really")
        return target
    if case == "cut":
        target.write_bytes(source.read_bytes()[: source.stat().st_size // 2])
        return target
    if case == "member damaged":
        body = bytearray(source.read_bytes())
        with zipfile.ZipFile(source) as file:
            at = file.getinfo("public.job").header_offset
        body[at + 120 : at + 160] = os.urandom(40)
        target.write_bytes(body)
        return target
    changes: dict[str, Callable[[str, bytes], bytes | None]] = {
        "no manifest": lambda name, data: None if name == "manifest.json" else data,
        "manifest of another kind": lambda name, data: b"[1]" if name == "manifest.json" else data,
        "huge manifest": lambda name, data: b" " * (2 << 20) if name == "manifest.json" else data,
        "other format": manifest_with(source, format=2),
        "foreign table": manifest_with(source, tables=[job | {"table": "pg_catalog.pg_authid"}]),
        "statement as table": manifest_with(source, tables=[job | {"table": "public.job; DROP TABLE job"}]),
        "statement as column": manifest_with(source, tables=[job | {"columns": ["job_id\") FROM PROGRAM 'id' --"]}]),
        "ledger as table": manifest_with(source, tables=[job | {"table": "public.lps_migration"}]),
        "member missing": lambda name, data: None if name == "public.job" else data,
        "member longer": lambda name, data: data + data if name == "public.job" else data,
        "member changed": lambda name, data: data.replace(b"DROP", b"KEEP") if name == "public.job" else data,
        "rows of nonsense": lambda name, data: b"x" * len(data) if name == "public.job" else data,
    }
    return remade(source, target, changes[case])


CASES = (
    "no zip", "cut", "no manifest", "manifest of another kind", "huge manifest", "other format", "foreign table",
    "statement as table", "statement as column", "ledger as table", "member missing", "member longer",
    "member damaged", "member changed", "rows of nonsense",
)  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_file_that_lies_changes_nothing(case: str, kept: Path, empty: Pool, tmp_path: Path) -> None:
    """It is named, no statement of it runs, and the database stays empty."""
    with pytest.raises(backup.BadBackup):
        backup.load(empty, tampered(case, kept, tmp_path / "lie"), origin="sandbox", most_bytes=MOST)
    with empty.transaction() as cur:
        cur.execute("SELECT to_regclass('job')")
        if cur.fetchone()[0]:
            cur.execute("SELECT count(*) FROM job")
            assert 0 == cur.fetchone()[0]


def test_a_bomb_is_refused_by_what_it_says_and_by_what_it_is(kept: Path, empty: Pool, tmp_path: Path) -> None:
    """Larger than allowed, or longer than it says: the reading ends there."""
    with pytest.raises(backup.BadBackup, match="larger than 1,000 bytes"):
        backup.load(empty, kept, origin="sandbox", most_bytes=1000)
    bomb = remade(kept, tmp_path / "bomb", lambda name, data: b"\0" * (64 << 20) if name == "public.job" else data)
    with pytest.raises(backup.BadBackup, match="do not fit"):
        backup.load(empty, bomb, origin="sandbox", most_bytes=MOST)
