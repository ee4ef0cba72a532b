"""The JSON API."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flask.testing import FlaskClient

    from tests.conftest import Database


def test_it_takes_a_search_and_says_where_to_look(client: FlaskClient, db: Database) -> None:
    """A good submission is one row, 202, and links."""
    answer = client.post("/v1/lps/search", json={"product_name": "라면", "specification": "5개"})
    assert 202 == answer.status_code
    links = answer.json["links"]
    assert [(answer.json["job_id"], "라면", "5개")] == db.rows(
        "SELECT job_id::text, product_name, specification FROM job"
    )
    assert (
        200
        == client.get(links["self"]).status_code
        == client.get(links["page"]).status_code
        == client.get("/").status_code
    )
