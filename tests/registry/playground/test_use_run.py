"""Using a run: its inputs as a sample, its reply as a row, its draft restored; and its deletion."""

import json
from datetime import timedelta

import pytest

from registry.core.errors import Conflict, Invalid, NotFound
from registry.evaluations import dataset_queries, datasets
from registry.journal import log
from registry.namespaces.models import Namespace
from registry.playground import services
from registry.playground.models import PlaygroundColumn, PlaygroundRun
from registry.redaction import services as redaction_services
from registry.tasks import tasks
from registry.templates import drafts
from registry.templates import queries as template_queries
from tests.registry.playground.conftest import DRAFT, INPUTS

ECHO = {"source": "draft", "document": DRAFT, "model": "echo"}


@pytest.fixture
def ended(start, column_of):
    """The column of a run with a complete reply."""

    def run(*columns, **options):
        playground_run = start(*(columns or [ECHO]), **options)
        rows = PlaygroundColumn.objects.filter(run=playground_run)
        rows.update(state=PlaygroundColumn.DONE, reply="Within 30 days.")
        return column_of(playground_run)

    return run


@pytest.fixture
def questions(author):
    text = '{"inputs": {"question": "Shoes?"}, "id": "one", "expected": {"answer": "Yes"}}\n'
    return datasets.save_dataset(actor=author, name="support/questions", text=text).dataset


def test_the_inputs_become_a_sample_of_the_draft(save, author, ended):
    save()
    draft = services.save_inputs_as_sample(actor=author, column_id=ended().pk, sample=" boots ")
    assert json.loads(draft.samples) == {"boots": INPUTS}
    assert draft.base.number == 1


def test_a_draft_keeps_its_text_and_samples_when_one_is_added(save, author, ended):
    save()
    written = drafts.save_draft(
        actor=author, namespace="support", path="reply", document="mine", samples='{"old": {}}', base=1
    )
    draft = services.save_inputs_as_sample(actor=author, column_id=ended().pk, sample="boots")
    assert (draft.pk, draft.document, list(json.loads(draft.samples))) == (written.pk, "mine", ["old", "boots"])
    with pytest.raises(Invalid, match="already a sample called boots"):
        services.save_inputs_as_sample(actor=author, column_id=ended().pk, sample="boots")


@pytest.mark.parametrize("name", ["", "  ", "two\nlines", "x" * 61, 3])
def test_a_sample_needs_a_name(save, author, ended, name):
    save()
    with pytest.raises(Invalid, match="name"):
        services.save_inputs_as_sample(actor=author, column_id=ended().pk, sample=name)


def test_a_reply_becomes_a_row_with_the_reply_expected(save, author, ended, questions):
    save()
    saved = services.add_reply_as_row(
        actor=author, column_id=ended().pk, dataset=questions.name, row_name="boots", expected=None
    )
    row = dataset_queries.read_dataset_version(author, questions.name).rows()[-1]
    assert saved.version.number == 2
    assert (row.id, row.inputs, row.expected) == ("boots", INPUTS, {"answer": "Within 30 days."})


def test_the_expectation_can_be_edited(author, ended, questions):
    column = ended(name="support/new")
    services.add_reply_as_row(
        actor=author, column_id=column.pk, dataset=questions.name, expected={"decision": "refund"}
    )
    assert dataset_queries.read_dataset_version(author, questions.name).rows()[-1].expected == {"decision": "refund"}


def test_a_row_of_a_taken_name_an_unknown_dataset_or_a_wrong_expectation_is_refused(author, ended, questions):
    column_id = ended(name="support/new").pk
    with pytest.raises(Invalid, match="already a row called one"):
        services.add_reply_as_row(actor=author, column_id=column_id, dataset=questions.name, row_name="one")
    with pytest.raises(NotFound, match="no dataset"):
        services.add_reply_as_row(actor=author, column_id=column_id, dataset="support/none")
    with pytest.raises(Invalid, match="expected"):
        services.add_reply_as_row(actor=author, column_id=column_id, dataset=questions.name, expected=[1])


def test_a_reply_becomes_the_first_row_of_a_new_dataset(save, author, ended):
    save()
    saved = services.add_reply_as_row(actor=author, column_id=ended().pk, new_dataset=" replies ", row_name="boots")
    (row,) = dataset_queries.read_dataset_version(author, "support/replies").rows()
    assert (saved.dataset.name, saved.version.number, saved.created) == ("support/replies", 1, True)
    assert (row.id, row.inputs, row.expected) == ("boots", INPUTS, {"answer": "Within 30 days."})


def test_a_new_dataset_needs_a_name_that_is_free_and_valid(save, author, ended, questions):
    save()
    column_id = ended().pk
    with pytest.raises(Invalid, match="already a dataset called") as refused:
        services.add_reply_as_row(actor=author, column_id=column_id, new_dataset=questions.name.partition("/")[2])
    assert list(refused.value.fields) == ["new_dataset"]
    with pytest.raises(Invalid, match="name"):
        services.add_reply_as_row(actor=author, column_id=column_id, new_dataset="Two Words")


def test_a_runs_draft_is_restored_and_the_one_there_was_kept(save, author, ended):
    save()
    run = ended().run
    mine = drafts.save_draft(actor=author, namespace="support", path="reply", document="mine", base=1)
    draft = services.restore_draft_of_run(actor=author, run_id=run.pk)
    assert (draft.document, draft.base.number) == (DRAFT, 1)
    assert draft.revision > mine.revision
    assert template_queries.find_discarded_draft(author, "support/reply").document == "mine"


def test_a_run_without_a_draft_has_none_to_restore(save, author, ended):
    save()
    with pytest.raises(Conflict, match="had no draft"):
        services.restore_draft_of_run(actor=author, run_id=ended({"source": "1", "model": "echo"}).run.pk)


def test_nobody_else_uses_a_run(save, reviewer, ended):
    save()
    column = ended()
    with pytest.raises(NotFound):
        services.save_inputs_as_sample(actor=reviewer, column_id=column.pk, sample="x")
    with pytest.raises(NotFound):
        services.restore_draft_of_run(actor=reviewer, run_id=column.run.pk)
    with pytest.raises(NotFound):
        services.stop_column(actor=reviewer, column_id=column.pk)


def test_the_nightly_clean_up_deletes_runs_after_thirty_days(ended):
    old, new = ended(), ended()
    PlaygroundRun.objects.filter(pk=old.run.pk).update(created_at=log.now() - timedelta(days=30))
    tasks.run_upkeep()
    assert list(PlaygroundRun.objects.values_list("pk", flat=True)) == [new.run.pk]


def test_the_clean_up_takes_the_runs_of_a_namespace_that_stores_none(start, ended):
    ended()
    waiting = start(ECHO)
    Namespace.objects.filter(name="support").update(discard_playground_texts=True)
    tasks.run_upkeep()
    assert list(PlaygroundRun.objects.all()) == [waiting]


def test_a_redaction_empties_runs_with_the_version_and_those_that_repeat_it(save, admin, author, start, column_of):
    version = save("the secret terms of our shop")
    save("")
    document = version.document
    by_version = start({"source": "1", "model": "echo"})
    by_draft = start({"source": "draft", "document": document, "model": "echo"})
    other = start(ECHO)
    plan = redaction_services.redact_version(actor=admin, name="support/reply", version=1, reason="leaked")
    assert plan.playground_columns == 2
    for run in (by_version, by_draft):
        column = column_of(run)
        assert (column.is_emptied, column.bundle, column.prompt, column.state) == (True, "", "", "stopped")
        assert column.run.inputs == "{}"
    assert column_of(other).bundle
    with pytest.raises(Conflict, match="not stored any more"):
        services.save_inputs_as_sample(actor=author, column_id=column_of(by_draft).pk, sample="x")


def test_only_the_newest_runs_of_a_person_stay(start, author):
    now = log.now()
    rows = [
        PlaygroundRun(
            person=author.person,
            namespace_id=Namespace.objects.get(name="support").pk,
            name="support/x",
            inputs="{}",
            created_at=now,
        )
        for _ in range(500)
    ]
    PlaygroundRun.objects.bulk_create(rows)
    run = start(ECHO)
    assert PlaygroundRun.objects.count() == 500
    assert PlaygroundRun.objects.filter(pk=run.pk).exists()
