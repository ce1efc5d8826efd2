"""Saving documents with fragments: what is frozen into the bundle, and which references are refused."""

import pytest

from registry.core.errors import Invalid
from registry.namespaces import services as namespace_services
from registry.namespaces.models import Namespace
from registry.templates import labels
from registry.templates import save as template_save

POLICY = "---\nformat: text\n---\nRefunds within {} days.\n"


@pytest.fixture
def policy(author):
    """support/policy at versions 1 and 2, `staging` on 1."""
    base = None
    for days in (14, 30):
        document = POLICY.format(days)
        saved = template_save.save_version(
            actor=author, name="support/policy", document=document, message="", base=base
        )
        base = saved.version.digest
    labels.move_label(actor=author, name="support/policy", label="staging", version=1, expected=None)
    return saved.template


def including(ref):
    return f'- name: rules\n  role: system\n  content: |\n    {{{{ fragment("{ref}") }}}}\n'


def save(actor, ref, name="support/reply"):
    return template_save.save_version(actor=actor, name=name, document=including(ref), message="")


def refused(actor, ref):
    with pytest.raises(Invalid) as caught:
        save(actor, ref)
    return caught.value.problems[0]


def test_a_fragment_is_frozen_into_the_bundle(author, policy):
    version = save(author, "support/policy@1").version
    assert version.unpacked()["fragments"] == {"support/policy@1": POLICY.format(14)}


def test_a_fragment_by_digest_is_frozen_under_its_digest(author, policy):
    ref = f"support/policy@{policy.latest.digest}"
    assert save(author, ref).version.unpacked()["fragments"] == {ref: POLICY.format(30)}


def test_fragments_of_fragments_come_along(author, policy):
    inner = '---\nformat: text\n---\nOur rule: {{ fragment("support/policy@1") }}\n'
    template_save.save_version(actor=author, name="support/rules", document=inner, message="")
    fragments = save(author, "support/rules@1").version.unpacked()["fragments"]
    assert fragments == {"support/rules@1": inner, "support/policy@1": POLICY.format(14)}


def test_a_label_is_refused_with_a_fix_that_pins_it(author, policy):
    problem = refused(author, "support/policy@staging")
    assert (problem.severity, problem.line) == ("error", 4)
    assert '"support/policy@1"' in problem.fix.edits[0].text


@pytest.mark.parametrize("ref", ["support/policy@9", "support/none@1", "support/policy", "elsewhere/secret@1"])
def test_a_fragment_that_can_not_be_had_is_named_with_its_line(author, policy, ref):
    problem = refused(author, ref)
    assert problem.line == 4
    assert ref in problem.message


def test_another_namespace_s_fragment_takes_the_right_to_read_it(author, outsider, document):
    template_save.save_version(actor=outsider, name="elsewhere/policy", document=POLICY.format(7), message="")
    assert "elsewhere/policy@1" in refused(author, "elsewhere/policy@1").message
    namespace_services.set_role(actor=outsider, namespace="elsewhere", username="author", role="reader")
    assert save(author, "elsewhere/policy@1").version.number == 1
    assert Namespace.objects.count() == 2


def test_readers_of_the_outer_fragment_get_the_inner_one_too(author, outsider, operator):
    namespace_services.set_role(actor=operator, namespace="support", username="outsider", role="author")
    template_save.save_version(actor=outsider, name="elsewhere/policy", document=POLICY.format(7), message="")
    outer = '---\nformat: text\n---\n{{ fragment("elsewhere/policy@1") }}\n'
    template_save.save_version(actor=outsider, name="support/outer", document=outer, message="")
    assert set(save(author, "support/outer@1").version.unpacked()["fragments"]) == {
        "support/outer@1",
        "elsewhere/policy@1",
    }
