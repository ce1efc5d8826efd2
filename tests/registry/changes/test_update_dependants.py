"""Updating the templates that include a fragment: which are found, and what is proposed."""

import pytest

from registry.changes import dependant_update
from registry.changes.models import ChangeRequest
from registry.namespaces import services as namespace_services
from registry.templates import fragments
from registry.templates import queries as template_queries
from registry.templates import save as writing
from registry.templates.models import Version

POLICY = "---\nformat: text\n---\nRefunds within {} days.\n"


def including(ref, quote='"'):
    return f"- name: rules\n  content: |\n    {{{{ fragment({quote}{ref}{quote}) }}}}\n"


def save(actor, name, document, base=None):
    return writing.save_version(actor=actor, name=name, document=document, message="", base=base).version


@pytest.fixture
def policy(author):
    """support/policy at versions 1 and 2; support/a and support/b include version 1, support/c includes 2."""
    first = save(author, "support/policy", POLICY.format(14))
    second = save(author, "support/policy", POLICY.format(30), first.digest)
    save(author, "support/a", including("support/policy@1"))
    save(author, "support/b", including(f"support/policy@{first.digest}", "'"))
    save(author, "support/c", including("support/policy@2"))
    return second


def update(actor, version=2):
    return dependant_update.update_dependants(actor=actor, name="support/policy", version=version, label="production")


def dependants_of(reader):
    return fragments.list_dependants(reader, template_queries.get_template(reader, "support/policy"))


def test_dependants_are_found_by_their_latest_documents(reader, policy):
    found = [(template.name, refs) for template, refs in dependants_of(reader)]
    assert [name for name, _ in found] == ["support/a", "support/b", "support/c"]
    assert found[0][1] == ["support/policy@1"]


def test_a_template_without_the_fragment_is_no_dependant(author, reader, policy, document):
    base = template_queries.get_template(author, "support/a").latest.digest
    save(author, "support/a", document(), base)
    names = [template.name for template, _ in dependants_of(reader)]
    assert names == ["support/b", "support/c"]


def test_each_dependant_gets_a_version_and_a_request(author, policy):
    updated = update(author)
    assert [(one.template.name, one.version.number, one.change.number) for one in updated] == [
        ("support/a", 2, 1),
        ("support/b", 2, 2),
    ]
    assert updated[1].version.document == including("support/policy@2", "'")
    assert ChangeRequest.objects.filter(state="open", label="production").count() == 2


def test_once_updated_there_is_nothing_to_do(author, policy):
    update(author)
    assert update(author) == []


def test_one_that_would_not_be_sound_is_left_alone_and_the_others_go_on(author, policy):
    wider = "---\nformat: text\ninputs: {days: {type: integer}}\n---\nWithin {{ days }} days.\n"
    save(author, "support/policy", wider, policy.digest)
    declaring = "---\ninputs: {days: {type: integer}}\n---\n" + including("support/policy@1")
    base = template_queries.get_template(author, "support/b").latest.digest
    save(author, "support/b", declaring, base)
    left, done = update(author, version=3)[:2]
    assert left.template.name == "support/a"
    assert "days" in left.refusal
    assert (done.template.name, done.version.number) == ("support/b", 3)


def test_templates_of_others_are_left_to_them(author, outsider, operator, policy, document):
    namespace_services.set_role(actor=operator, namespace="support", username="outsider", role="reader")
    namespace_services.set_role(actor=operator, namespace="elsewhere", username="author", role="reader")
    save(outsider, "elsewhere/own", including("support/policy@1"))
    refused = update(author)[0]
    assert (refused.template.name, refused.version) == ("elsewhere/own", None)
    assert "need the role author" in refused.refusal
    assert Version.objects.filter(template__name="elsewhere/own").count() == 1
