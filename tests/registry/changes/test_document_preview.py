"""The preview of a document that isn't saved: the same facts as after saving it, with the checks run now."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from registry.changes import check_results, document_preview, label_preview, rules
from registry.core.errors import Conflict, Invalid, NotAllowed, NotFound
from registry.namespaces import keys
from registry.templates import archive, rename, samples
from registry.templates.models import Template, Version
from registry.usage.models import Fetch

NAME = "support/reply"


def preview(actor, document, name=NAME, label="production"):
    return document_preview.preview_document(actor=actor, name=name, label=label, document=document)


@pytest.fixture
def live(admin, author, save, publish, propose):
    """Version 1 is live and a service fetches it; version 2 is proposed."""
    publish(save("one"))
    propose(save("two"))
    samples.save_samples(actor=author, name=NAME, samples={"short": {"question": "Where?"}})
    issued = keys.issue_key(actor=admin, namespace="support", name="checkout", scope="read", person="author")
    at, row = datetime.now(UTC), Version.objects.get(number=1)
    Fetch.objects.create(key=issued.key, version=row, ref="production", day=at.date(), count=70, last_at=at)


def test_it_is_what_the_preview_says_once_the_document_is_saved(admin, author, live, save, document, propose):
    rules.set_rules(actor=admin, namespace="support", required_checks=["problems", "evaluation"])
    result = preview(author, document("three")).move
    assert (Version.objects.count(), Template.objects.count()) == (2, 1)
    assert (result.state, result.serves.number, result.included, result.fetches_moving) == ("ahead", 1, (2,), 10)
    assert [(other.change.version.number, other.superseded) for other in result.overlapping] == [(2, True)]
    change = propose(save("three"))
    check_results.run_checks(number=change.number)
    stored = label_preview.find_preview(author, NAME, "production", 3)
    results = {check.name: (check.outcome, check.summary, check.is_required) for check in result.checks}
    assert {check.name: (check.outcome, check.summary, check.is_required) for check in stored.checks}.items() <= (
        results | {"evaluation": (None, "It was not run on this version yet.", True)}
    ).items()
    assert results["evaluation"][0] == "passed"  # nothing is attached
    same: dict[str, Any] = {"version": None, "checks": (), "same": None}
    assert replace(result, **same) == replace(stored, **same)
    assert (result.version.number, result.version.digest) == (stored.version.number, stored.version.digest)


def test_a_missing_template_is_previewed_as_its_first_version(author, support, document):
    result = preview(author, document())
    assert (result.move.state, result.move.version.number, result.move.services, result.problems) == ("new", 1, (), [])
    assert {check.outcome for check in result.move.checks} == {"passed"}
    assert not Template.objects.exists()


def test_a_check_that_would_fail_says_why(author, live, document):
    more = document().replace("inputs:", "inputs:\n  order: {type: string}")
    checks = {check.name: check for check in preview(author, more).move.checks}
    assert (checks["contract"].outcome, "order" in checks["contract"].summary) == ("failed", True)
    assert (checks["samples"].outcome, "order" in checks["samples"].summary) == ("failed", True)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (
            "---\ndescription: One\ninputs: {question: {type: string}}\n---\n- name: a\n  content: '{{ other }}'\n",
            "PT403",
        ),
        (
            "---\ndescription: One\ntoken_limit: 3\nmodel: gpt-4o\n---\n- name: a\n  content: one two three four\n",
            "PT603",
        ),
        ("---\ntags: [a]\n---\n- name: a\n  content: Hello\n", "PT001"),
    ],
)
def test_errors_that_prevent_saving_are_listed_and_no_check_runs(author, admin, support, text, code):
    rules.set_rules(actor=admin, namespace="support", standards={"description": {"severity": "error"}})
    result = preview(author, text)
    assert [problem.code for problem in result.problems if problem.severity == "error"] == [code]
    assert result.move.checks == ()


def test_a_text_that_cannot_be_read_is_refused_with_its_problems(author, support):
    with pytest.raises(Invalid) as refusal:
        preview(author, "---\ninputs: [\n---\n")
    assert refusal.value.problems


def test_the_same_text_is_the_latest_version(author, live, document):
    assert preview(author, document("two")).move.same.version.number == 2


def test_only_those_who_may_save_there_see_it(reader, outsider, admin, author, live, document):
    with pytest.raises(NotAllowed):
        preview(reader, document("three"))
    with pytest.raises(NotFound):
        preview(outsider, document("three"))
    narrow = keys.issue_key(actor=admin, namespace="support", name="ci", scope="write", labels=["staging"]).key
    with pytest.raises(NotAllowed):
        preview(replace(admin, key=narrow), document("three"))


def test_an_archived_template_and_a_former_name_are_refused_as_at_a_save(admin, save, document):
    save("one")
    rename.rename_template(actor=admin, name=NAME, to="support/answer")
    with pytest.raises(Conflict, match="was renamed"):
        preview(admin, document("three"))
    archive.archive_template(actor=admin, name="support/answer", reason="Old", force=True)
    with pytest.raises(Conflict, match="is archived"):
        preview(admin, document("three"), name="support/answer")
