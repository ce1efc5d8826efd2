"""Spans around fetch, render and save, as received by the SDK's in-memory exporter."""

from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.core import tracing
from registry.core.errors import NotFound
from registry.namespaces import keys, services
from registry.serving.fetcher import Fetcher
from registry.templates import preview
from registry.templates import save as template_save

pytestmark = pytest.mark.django_db
NAME = "support/reply"


@pytest.fixture
def exporter(monkeypatch) -> Iterator[InMemorySpanExporter]:
    """An exporter that collects the spans; the process has no tracer provider before and after."""
    found = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(found))
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", provider)
    yield found
    provider.shutdown()


@pytest.fixture
def admin() -> Actor:
    actor = Actor(User.objects.create(username="admin"))
    services.create_namespace(actor=actor, name="support")
    return actor


def save(admin: Actor) -> str:
    document = "- name: a\n  content: 'Hello {{ who }}'\n"
    return template_save.save_version(actor=admin, name=NAME, document=document, message="").version.digest


def list_spans(exporter: InMemorySpanExporter) -> list[tuple[str, dict[str, Any]]]:
    found = [(span.name, dict(span.attributes or {})) for span in exporter.get_finished_spans()]
    exporter.clear()
    return found


def test_a_save_is_a_span_with_the_version_it_made(exporter, admin):
    digest = save(admin)
    attributes = {"gen_ai.prompt.name": NAME, "gen_ai.prompt.version": "1", "promptuary.digest": digest}
    assert list_spans(exporter) == [("promptuary.save", attributes)]


def test_every_fetch_is_a_span_with_what_it_turned_out_to_be(exporter, admin):
    save(admin)
    key = "Bearer " + keys.issue_key(actor=admin, namespace="support", name="chat", scope="write").secret
    exporter.clear()
    fetcher = Fetcher()
    for _ in range(2):
        assert fetcher.cached(key, f"{NAME}@latest") is None
        fetcher.answer(key, f"{NAME}@latest")
    spans = list_spans(exporter)
    assert [name for name, _ in spans] == ["promptuary.fetch"] * 2
    assert spans[0][1]["promptuary.ref"] == "latest"
    assert spans[0][1]["gen_ai.prompt.version"] == "1"


def test_a_rendering_is_a_span_and_tells_nothing_of_the_data(exporter, admin):
    save(admin)
    exporter.clear()
    preview.render_prompt(actor=admin, name=NAME, ref="1", data={"who": "Harbour Books"})
    name, attributes = list_spans(exporter)[0]
    assert (name, attributes["gen_ai.prompt.version"]) == ("promptuary.render", "1")
    assert "Harbour" not in str(attributes)


def test_a_refusal_marks_the_span(exporter, admin):
    with pytest.raises(NotFound):
        preview.render_prompt(actor=admin, name=NAME, ref="1", data={})
    span = exporter.get_finished_spans()[0]
    assert (span.attributes["error.type"], span.status.is_ok) == ("NotFound", False)


def test_without_a_provider_there_are_none(admin):
    assert not tracing.is_on()
    with tracing.span("fetch", NAME) as current:
        assert not current.is_recording()
