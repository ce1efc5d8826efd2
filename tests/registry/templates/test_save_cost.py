"""No query of a save grows with the number of templates: each uses an index."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.templates import samples
from registry.templates import save as template_save
from registry.templates.models import Template

pytestmark = pytest.mark.sqlite  # PostgreSQL reads small tables whole whatever indexes there are
GROWING = ("template", "version", "event", "label", "sampleset", "changerequest", "inclusion", "tag", "draft", "job")


@pytest.fixture
def queries(save, author, document):
    """What a save of a later version asks, samples there and an index's statistics known."""
    for number in range(30):
        save("x", name=f"support/more-{number}")
    first = save("one")
    samples.save_samples(actor=author, name="support/reply", samples={"a": {"question": "?"}})
    with CaptureQueriesContext(connection) as captured:
        text = document("two").replace("---\ninputs", "---\ntags: [a, b]\ninputs", 1)
        template_save.save_version(actor=author, name="support/reply", document=text, message="", base=first.digest)
    return [query["sql"] for query in captured if query["sql"].startswith(("SELECT", "UPDATE", "DELETE"))]


def plan(sql):
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
        return [row[3] for row in cursor.fetchall()]


def test_no_table_that_grows_is_read_through(queries):
    assert len(queries) > 5
    for sql in queries:
        is_newest_only = "ORDER BY" in sql and sql.endswith("LIMIT 1") and "WHERE" not in sql
        scans = [step for step in plan(sql) if step.startswith("SCAN") and step.split()[1].startswith("registry_")]
        grown = [step for step in scans if step.split()[1].removeprefix("registry_") in GROWING]
        assert is_newest_only or grown == [], sql


def test_a_save_writes_its_own_rows_only(queries):
    assert Template.objects.count() == 31
    assert not [sql for sql in queries if sql.startswith("UPDATE") and "WHERE" not in sql]
