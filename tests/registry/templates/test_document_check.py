"""The check of a document: its problems in order, and nothing stored."""

from registry.journal.models import Event
from registry.templates import document_check
from registry.templates.models import Version


def test_a_sound_document_has_no_problem(reader, document):
    assert document_check.list_problems(actor=reader, document=document(), samples={"a": {"question": "?"}}) == []


def test_problems_come_in_the_order_of_lines(reader):
    problems = document_check.list_problems(
        actor=reader, document="---\ncolour: blue\ninputs: {a: {type: text}}\n---\n- name: q\n  content: '{{ a }}'\n"
    )
    assert [problem.line for problem in problems] == sorted(problem.line for problem in problems)
    assert len(problems) >= 2


def test_checking_stores_nothing(reader, document):
    before = Event.objects.count()
    document_check.list_problems(actor=reader, document=document())
    assert (Version.objects.count(), Event.objects.count()) == (0, before)


def test_a_missing_profile_is_named_with_its_line(reader):
    problems = document_check.list_problems(
        actor=reader, document="---\nprofile: nonesuch\n---\n- name: q\n  content: hello\n"
    )
    assert [(problem.line, problem.severity) for problem in problems if "nonesuch" in problem.message] == [(2, "error")]


def test_a_model_brings_its_profile_into_the_bundle(reader):
    examined = document_check.check_document(reader, "---\nmodel: gpt-4o\n---\n- name: q\n  content: hello\n")
    assert examined.is_sound
    assert '"profile":{' in examined.bundle
