"""Saving samples without a new document."""

import pytest

from registry.core.errors import Conflict, Invalid, NotAllowed
from registry.journal.models import Event
from registry.templates import archive, samples
from registry.templates.models import SampleSet


def test_samples_replace_those_before(author, save):
    save()
    samples.save_samples(actor=author, name="support/reply", samples={"a": {"question": "?"}})
    stored = samples.save_samples(actor=author, name="support/reply", samples={"b": {"question": "!"}})
    assert (stored.number, stored.samples) == (2, {"b": {"question": "!"}})


def test_equal_samples_make_no_new_set(author, save):
    save()
    for _ in range(2):
        stored = samples.save_samples(actor=author, name="support/reply", samples={"a": {"question": "?"}})
    assert stored.number == 1
    assert Event.objects.filter(kind="samples.saved").count() == 1


def test_a_sample_must_fit_the_latest_document(author, save):
    save()
    with pytest.raises(Invalid) as caught:
        samples.save_samples(actor=author, name="support/reply", samples={"bad": {"question": 7}})
    assert {problem.sample for problem in caught.value.problems} == {"bad"}
    assert not SampleSet.objects.exists()


def test_a_reader_does_not_save_samples(reader, save):
    save()
    with pytest.raises(NotAllowed):
        samples.save_samples(actor=reader, name="support/reply", samples={})


def test_an_archived_template_takes_none(author, admin, save):
    save()
    archive.archive_template(actor=admin, name="support/reply", reason="")
    with pytest.raises(Conflict, match="archived"):
        samples.save_samples(actor=author, name="support/reply", samples={})
