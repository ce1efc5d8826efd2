"""Archived datasets: in no list or choice, without new rows, and refused if an evaluation uses them."""

import json

import pytest

from registry.core.errors import Conflict, Invalid, NotAllowed, NotFound
from registry.evaluations import attachments, dataset_additions, dataset_archive, dataset_queries, datasets, start_runs
from registry.evaluations.dataset_models import Dataset
from registry.journal.models import Event
from registry.playground import queries as playground_queries

NAME, DATASET = "support/reply", "support/questions"
ROW = {"inputs": {"question": "Why?"}}


@pytest.fixture
def dataset(author):
    return datasets.save_dataset(actor=author, name=DATASET, text=json.dumps(ROW) + "\n").dataset


@pytest.fixture
def archived(dataset, admin):
    return dataset_archive.archive_dataset(actor=admin, name=DATASET, reason=" Old ")


def names(actor, **options):
    return [row.name for row in dataset_queries.list_datasets(actor, **options).items]


def test_an_archived_dataset_is_in_no_list_but_can_be_read(archived, author):
    assert names(author) == []
    assert names(author, archived=True) == [DATASET]
    assert playground_queries.list_choices(author, NAME).datasets == []
    assert dataset_queries.read_dataset_version(author, DATASET).count == 1
    text = Event.objects.get(kind="dataset.archived").text
    assert json.loads(text)["body"] == {"dataset": DATASET, "reason": "Old"}


def test_it_takes_no_rows(archived, author):
    latest = dataset_queries.read_dataset_version(author, DATASET)
    with pytest.raises(Conflict, match="support/questions is archived: an admin can restore it"):
        datasets.save_dataset(actor=author, name=DATASET, text='{"inputs": {}}\n', base=latest.digest)
    with pytest.raises(Conflict, match="is archived"):
        dataset_additions.add_dataset_rows(actor=author, name=DATASET, rows=[ROW])


def test_it_comes_back_as_it_was(archived, admin, author):
    assert dataset_archive.unarchive_dataset(actor=admin, name=DATASET).archived_at is None
    assert names(author) == [DATASET]
    assert dataset_additions.add_dataset_rows(actor=author, name=DATASET, rows=[ROW]).created
    assert Event.objects.filter(kind="dataset.unarchived").count() == 1


def test_doing_it_twice_tells_nothing_twice(archived, admin):
    first = Dataset.objects.get().archived_at
    dataset_archive.archive_dataset(actor=admin, name=DATASET, reason="Again")
    assert Dataset.objects.get().archived_at == first
    for _ in range(2):
        dataset_archive.unarchive_dataset(actor=admin, name=DATASET)
    assert Event.objects.filter(kind__startswith="dataset.").count() == 3  # saved, archived, unarchived


def attach(admin, name="answers"):
    return attachments.attach_evaluation(
        actor=admin,
        namespace="support",
        name=name,
        pattern="*",
        dataset=DATASET,
        model="echo",
        gates=["squad_f1 >= 0.5"],
    )


def test_one_that_evaluations_measure_by_is_refused_with_their_names(dataset, admin):
    attach(admin, "b")
    attach(admin, "a")
    with pytest.raises(Conflict, match="use it: a, b") as caught:
        dataset_archive.archive_dataset(actor=admin, name=DATASET)
    assert caught.value.facts["evaluations"] == ["a", "b"]
    for name in ("a", "b"):
        attachments.detach_evaluation(actor=admin, namespace="support", name=name)
    assert dataset_archive.archive_dataset(actor=admin, name=DATASET).archived_at is not None


def test_no_evaluation_is_attached_to_an_archived_one(archived, admin):
    with pytest.raises(Invalid, match="support/questions is archived"):
        attach(admin)


def test_it_can_still_be_run(save, archived, author):
    save()
    assert start_runs.start_run(actor=author, template=NAME, dataset=DATASET).total == 1


def test_only_admins_archive_and_bring_back(dataset, author, reviewer, outsider):
    for actor, refusal in ((author, NotAllowed), (reviewer, NotAllowed), (outsider, NotFound)):
        for act in (dataset_archive.archive_dataset, dataset_archive.unarchive_dataset):
            with pytest.raises(refusal):
                act(actor=actor, name=DATASET)


def test_the_refusal_names_the_act(dataset, author):
    with pytest.raises(NotAllowed, match="You need the role admin to archive datasets in support; author is author"):
        dataset_archive.archive_dataset(actor=author, name=DATASET)
    with pytest.raises(NotAllowed, match="You need the role admin to bring datasets back in support"):
        dataset_archive.unarchive_dataset(actor=author, name=DATASET)


def test_a_missing_dataset_cannot_be_archived(admin):
    with pytest.raises(NotFound):
        dataset_archive.archive_dataset(actor=admin, name="support/none")
