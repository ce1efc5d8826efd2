"""The contents of a clone of the mirror, read with plain git."""

import subprocess

import pytest

from registry import mirror
from registry.templates import save as template_save
from registry.templates.label_models import Label
from registry.templates.models import Version

pytestmark = pytest.mark.django_db
TEMPLATE = "support/refunds/reply"
DOCUMENTS = [
    "- name: a\r\n  role: user\r\n  content: Hello\r\n",
    "- name: a\n  role: user\n  content: 👩‍👩‍👧 Käse {{ name }}",
    "---\nformat: text\n---\n\n\nno newline at the end, tabs\t\there  ",
]


def git(folder, *arguments):
    return subprocess.run(["git", *arguments], cwd=folder, capture_output=True, check=True).stdout


@pytest.fixture
def clone(story, mirror_path, tmp_path):
    base = Version.objects.get(number=3).digest
    for document in DOCUMENTS:
        saved = template_save.save_version(
            actor=story["author"], name=TEMPLATE, document=document, message="Odd", base=base
        )
        base = saved.version.digest
    mirror.catch_up()
    git(tmp_path, "clone", "-q", str(mirror_path), "clone")
    return tmp_path / "clone"


def test_the_file_at_each_commit_is_the_version_s_document_byte_for_byte(clone):
    commits = git(clone, "log", "--reverse", "--format=%H", "--", "support/refunds/reply.yml.j2").decode().split()
    found = [git(clone, "show", f"{commit}:support/refunds/reply.yml.j2") for commit in commits]
    assert found == [version.document.encode() for version in Version.objects.order_by("number")]


def test_a_version_s_commit_is_found_by_its_trailers(clone):
    expected = {str(version.number): version.digest for version in Version.objects.all()}
    trailers = (
        "%(trailers:key=Promptuary-Version,valueonly,separator=)|%(trailers:key=Promptuary-Digest,valueonly,separator=)"
    )
    lines = git(clone, "log", f"--format={trailers}", "--", "support/refunds/reply.yml.j2").decode().split()
    assert dict(line.split("|") for line in lines) == expected


@pytest.mark.parametrize("label", ["production", "staging"])
def test_a_label_s_branch_is_what_the_label_serves(clone, label):
    files = git(clone, "ls-tree", "-r", "--name-only", f"origin/label/{label}").decode().split()
    served = Label.objects.get(name=label).version.document.encode()
    assert {file: git(clone, "show", f"origin/label/{label}:{file}") for file in files} == {
        f"{TEMPLATE}.yml.j2": served
    }


def test_the_log_reads_as_what_people_did(clone):
    lines = git(clone, "log", "--format=%an: %s").decode().splitlines()
    assert "author: support/refunds/reply 1: Say hello {{ name }}" in lines
    assert "reviewer: support/refunds/reply: change 1, approve" in lines
    assert "author: support/refunds/reply: production to version 2" in lines
