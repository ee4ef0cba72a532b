"""Backup, restore and support bundle as they are typed."""

from __future__ import annotations

import os
import uuid
import zipfile
from typing import TYPE_CHECKING

from tests.conftest import fresh_database
from tests.tasks.causes import CAUSES

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Checkout
    from tests.conftest import Database


def settings(url: str) -> dict[str, str]:
    """This database as the operator's."""
    return {"LPS_DATABASE__URL": url, "LPS_DATABASE__NAME": url.rsplit("/", 1)[1], "COLUMNS": "200"}


def test_a_backup_fills_another_database(checkout: Checkout, db: Database, server_url: str, tmp_path: Path) -> None:
    """A database in use is left alone unless it is to be replaced; the numbers are the same afterwards."""
    db.rows(CAUSES["dead"][0])
    file = tmp_path / "lps.backup"
    made = checkout.run("backup", str(file), **settings(db.url))
    assert 0 == made.returncode, made.stderr
    with fresh_database(server_url, f"lps_test_cli_{os.getpid()}_{uuid.uuid4().hex[:6]}") as url:
        other = settings(url)
        assert 0 == checkout.run("restore", str(file), **other).returncode
        again = checkout.run("restore", str(file), **other)
        assert (1, True) == (again.returncode, "has searches already" in again.stderr)
        assert 0 == checkout.run("restore", str(file), "--replace", **other).returncode
        assert '"DEAD": 20' in checkout.run("ops", **other).stdout
        wrong = checkout.run("restore", __file__, **other)
        assert (1, 1) == (wrong.returncode, len(wrong.stderr.splitlines()))


def test_a_support_bundle_has_no_secret_in_it(checkout: Checkout, db: Database, tmp_path: Path) -> None:
    """Keys, passwords and webhooks are hidden wherever they stand."""
    db.rows(CAUSES["dead"][0])
    db.rows("UPDATE job SET error = 'refused key sk-hunter2-long'")
    file = tmp_path / "bundle.zip"
    secret = {"OPENAI_API_KEY": "sk-hunter2-long", "LPS_PROXY__PASSWORD": ""}
    done = checkout.run("support-bundle", str(file), **settings(db.url), **secret)
    assert 0 == done.returncode, done.stderr
    with zipfile.ZipFile(file) as bundle:
        texts = {name: bundle.read(name).decode() for name in bundle.namelist()}
    password = db.url.split("@")[0].rsplit(":", 1)[1]
    assert not [name for name, text in texts.items() if "hunter2" in text or password in text]
    assert "********" in texts["settings.txt"]
    assert '"DEAD": 20' in texts["ops.json"]
    assert "ok   python" in texts["doctor.txt"]
