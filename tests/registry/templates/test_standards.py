"""The standards of a namespace at every save: refused or warned, and never in the way of what is served."""

import json

import pytest

from registry.changes import rules
from registry.core.errors import Invalid
from registry.journal.models import Event
from registry.namespaces.models import Namespace
from registry.namespaces.rules import read_rules
from registry.templates import document_check, labels, samples, version_queries
from registry.templates.models import Template
from registry.templates.save import save_version
from tests.registry.conftest import REPLY

GOOD = REPLY.replace("---\n", "---\ndescription: Answer a question\n", 1)


@pytest.fixture
def require(admin):
    """Set the standards of `support` as its admin."""

    def run(**standards):
        rules.set_rules(actor=admin, namespace="support", standards=standards)

    return run


def save_as(author, document=REPLY, name="support/reply", **options):
    return save_version(actor=author, name=name, document=document, message="", **options)


def test_a_document_that_breaks_a_standard_is_refused_and_one_that_meets_it_is_saved(author, require):
    require(description={})
    with pytest.raises(Invalid) as caught:
        save_as(author)
    assert [(problem.code, problem.severity) for problem in caught.value.problems] == [("PT001", "error")]
    assert Template.objects.count() == 0
    assert save_as(author, GOOD).problems == []


def test_a_warning_is_saved_with_the_version(author, require):
    require(description={"severity": "warning"})
    saved = save_as(author)
    assert [problem.code for problem in saved.problems] == ["PT001"]
    assert [problem["code"] for problem in json.loads(saved.version.problems)] == ["PT001"]


def test_standards_of_another_namespace_do_not_count(author, outsider, require):
    require(description={})
    rules.set_rules(actor=outsider, namespace="elsewhere", standards={"size": {"most": 1}})
    with pytest.raises(Invalid) as caught:
        save_as(outsider, name="elsewhere/reply")
    assert [problem.code for problem in caught.value.problems] == ["PT006"]
    assert save_as(author, GOOD).created


def test_a_stricter_rule_leaves_what_was_saved_served_and_stops_the_next_save_only(author, publish, require):
    version = save_as(author).version
    publish(version)
    require(description={})
    assert version_queries.resolve_version(author, "support/reply", "production").pk == version.pk
    labels.move_label(actor=author, name="support/reply", label="staging", version=1, expected=None)
    with pytest.raises(Invalid):
        save_as(author, REPLY.replace("Answer", "Say"), base=version.digest)


def test_a_version_saved_before_a_stricter_rule_can_be_published(author, publish, require):
    version = save_as(author).version
    require(description={}, size={"most": 1})
    publish(version)
    assert version_queries.resolve_version(author, "support/reply", "production").pk == version.pk


def test_a_template_that_exists_keeps_its_name_and_a_new_one_has_to_fit(author, require):
    first = save_as(author).version
    require(name={"pattern": "[a-z]+/[a-z]+"})
    saved = save_as(author, GOOD, base=first.digest)
    assert [(problem.code, problem.severity) for problem in saved.problems] == [("PT005", "warning")]
    with pytest.raises(Invalid):
        save_as(author, name="support/other")
    assert save_as(author, name="support/refunds/other").problems == []


def test_samples_that_are_kept_count_and_taking_them_away_is_refused(author, require):
    require(samples={"least": 1})
    with pytest.raises(Invalid):
        save_as(author)
    first = save_as(author, samples={"short": {"question": "?"}}).version
    assert save_as(author, GOOD, base=first.digest).created
    with pytest.raises(Invalid) as caught:
        samples.save_samples(actor=author, name="support/reply", samples={})
    assert [problem.code for problem in caught.value.problems] == ["PT004"]
    samples.save_samples(actor=author, name="support/reply", samples={"other": {"question": "!"}})


def test_saving_samples_is_not_stopped_by_a_document_that_a_later_rule_refuses(author, require):
    save_as(author)
    require(description={}, samples={"severity": "warning", "least": 2})
    samples.save_samples(actor=author, name="support/reply", samples={"short": {"question": "?"}})
    assert Template.objects.get().current_samples().samples == {"short": {"question": "?"}}


def test_a_fragment_that_is_included_counts_for_the_required_words(author, require):
    save_as(author, "---\nformat: text\n---\nOur policy.\n", name="support/policy")
    require(required_words={"words": ["policy"]})
    with pytest.raises(Invalid):
        save_as(author)
    including = REPLY.replace("Answer:", "{{ fragment('support/policy@1') }} Answer:")
    assert save_as(author, including).created


def test_a_check_counts_the_samples_that_there_are_where_none_are_given(author, require):
    require(samples={"least": 1})
    assert codes_of(author, "support/new") == ["PT004"]
    save_as(author, samples={"short": {"question": "?"}})
    assert codes_of(author, "support/reply") == []
    assert codes_of(author, "support/reply", samples={}) == ["PT004"]


def codes_of(actor, template, **options):
    problems = document_check.list_problems(actor=actor, document=REPLY, template=template, **options)
    return [problem.code for problem in problems]


def test_a_document_that_cannot_be_read_has_no_problem_of_standards(author, require):
    require(description={})
    problems = document_check.list_problems(actor=author, document="\0", template="support/reply")
    assert [problem.code for problem in problems] == ["PT107"]


def test_the_event_has_the_standards_only_where_there_are_some(admin, require):
    rules.set_rules(actor=admin, namespace="support", approvals=2)
    assert "standards" not in last_rules()
    require(samples={"least": 2})
    assert last_rules()["standards"] == {"samples": {"severity": "error", "least": 2}}
    require()
    assert "standards" not in last_rules()
    assert Namespace.objects.get(name="support").standards == {}


def last_rules():
    event = Event.objects.latest("number")
    assert event.kind == "namespace.ruled"
    return json.loads(event.text)["body"]["rules"]


def test_rules_without_standards_leave_those_there_are(admin, require):
    require(samples={"least": 2})
    rules.set_rules(actor=admin, namespace="support", approvals=2)
    assert read_rules(Namespace.objects.get(name="support")).standards.samples.least == 2


def test_wrong_standards_are_refused_by_their_path_and_change_nothing(admin, require):
    require(samples={"least": 2})
    before = Event.objects.count()
    with pytest.raises(Invalid) as caught:
        require(samples={"least": -1}, colour={})
    assert list(caught.value.fields) == ["standards.samples.least", "standards.colour"]
    assert Event.objects.count() == before
