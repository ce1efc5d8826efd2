"""Datasets and attached evaluations in the mirror: readable files, and a full restore from a clone."""

import json

import pytest

from registry import mirror
from registry.evaluations import attachments, datasets
from registry.evaluations.dataset_models import DatasetVersion
from registry.evaluations.models import Attachment
from registry.mirror.repository import Repository
from registry.templates import save as template_save
from tests.registry.mirror.conftest import TEMPLATE
from tests.registry.mirror.test_restore import empty_the_database
from tests.support import row_snapshot

pytestmark = pytest.mark.django_db
ROWS = '{"id": "a", "inputs": {"name": "K\\u00e4the \\u2028"}, "expected": "x"}\n{"inputs": {"name": "b"}}\n'


@pytest.fixture
def full(story):
    """A dataset named as a template is, at two versions, and attachments of which one was taken away."""
    author, admin = story["author"], story["admin"]
    first = datasets.save_dataset(actor=author, name=TEMPLATE, text=ROWS, message="Begin\n\nwith two").version
    datasets.save_dataset(actor=author, name=TEMPLATE, text=ROWS.split("\n", maxsplit=1)[0], base=first.digest)
    for name in ("answers", "gone"):
        attachments.attach_evaluation(
            actor=admin,
            namespace="support",
            name=name,
            pattern="refunds/*",
            dataset=TEMPLATE,
            dataset_version=1,
            model="echo",
            gates=["squad_f1 - 0.02"],
            metrics=["bleu"],
        )
    attachments.detach_evaluation(actor=admin, namespace="support", name="gone")
    judge = "---\nformat: text\n---\nJudge {{ documents }} and {{ response }}"
    template_save.save_version(actor=author, name="support/judge", document=judge, message="")
    attachments.attach_evaluation(
        actor=admin,
        namespace="support",
        name="judged",
        pattern="none/*",
        dataset=TEMPLATE,
        model="echo",
        gates=["faithfulness >= 0.9"],
        judge="support/judge@1",
        judge_model="echo",
        judge_paths={"documents": "inputs.name"},
    )
    return story


def read(path, mirror_path):
    with Repository(mirror_path).open_files() as files:
        return files.read("refs/heads/main", path)


def test_the_rows_are_next_to_the_document_a_row_a_line(full, mirror_path):
    mirror.catch_up()
    text = read(f"{TEMPLATE}.dataset.jsonl", mirror_path).decode()
    assert text == DatasetVersion.objects.get(number=2).text
    assert json.loads(text)["expected"] == {"answer": "x"}
    assert read(f"{TEMPLATE}.yml.j2", mirror_path)
    assert b"squad_f1 - 0.02" in read(".promptuary/support/evaluations/answers.yml", mirror_path)
    assert mirror.verify() == []


def test_all_of_it_comes_back_from_the_mirror(full, mirror_path):
    mirror.catch_up()
    before = row_snapshot.snapshot_rows()
    assert before["Dataset"]
    assert len(before["DatasetVersion"]) == 2
    assert len(before["Attachment"]) == 2
    empty_the_database()
    assert not Attachment.objects.exists()
    mirror.restore(mirror_path)
    assert row_snapshot.snapshot_rows() == before
