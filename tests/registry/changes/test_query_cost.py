"""The cost of a change request's page doesn't grow with its samples, threads or decisions."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.changes import decisions, thread_queries
from registry.changes import gate as change_gate
from registry.changes import queries as change_queries
from registry.changes import services as writing
from registry.changes import threads as discussing
from registry.changes.threads import Place
from registry.templates import sample_renderings, samples


def look(actor, number):
    """Run all queries of a request's page; return their number."""
    with CaptureQueriesContext(connection) as queries:
        change = change_queries.get_change(actor, number)
        gate = change_gate.evaluate(change, actor)
        change_queries.list_versions_between(change, gate.versions_between)
        change_queries.list_overlapping(change)
        thread_queries.list_threads(change)
        sample_renderings.render_samples(change.version, change.template.current_samples().samples)
    return len(queries)


@pytest.fixture
def change(author, save):
    version = save("one")
    samples.save_samples(actor=author, name="support/reply", samples={"a": {"question": "?"}})
    return writing.propose_change(
        actor=author, name="support/reply", label="production", version=version.number, message=""
    )


def test_fifty_samples_and_many_words_cost_as_many_queries_as_one(author, reviewer, change):
    discussing.open_thread(actor=reviewer, number=1, place=Place(version=1, line=1), text="?")
    look(reviewer, 1)
    before = look(reviewer, 1)
    samples.save_samples(actor=author, name="support/reply", samples={str(n): {"question": str(n)} for n in range(50)})
    for line in range(2, 8):
        discussing.open_thread(actor=reviewer, number=1, place=Place(version=1, line=line), text="?")
        decisions.decide_on_change(actor=author, number=1, decision="comment", digest=change.version.digest, text="!")
    look(reviewer, 1)
    assert look(reviewer, 1) == before
    assert before <= 30


def test_a_save_asks_the_same_of_the_database_however_many_templates_there_are(author, save, document):
    def cost(name):
        with CaptureQueriesContext(connection) as queries:
            save("x", name=name)
        return len(queries)

    cost("support/warm-up")
    first = cost("support/first")
    for number in range(12):
        save("x", name=f"support/more-{number}")
    assert cost("support/last") == first
