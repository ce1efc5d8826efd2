"""Presence: who has a template open in the editor, by tab and part."""

import pytest
from django.utils import translation

from registry.accounts.actor import build_operator_actor
from registry.core.errors import Invalid, NotAllowed, NotFound
from registry.journal import log
from registry.journal.models import Event
from registry.namespaces import services as namespace_services
from registry.templates import presence
from registry.templates.presence_models import EditorPresence

pytestmark = pytest.mark.dialect
NAME = "support/reply"
TAB, OTHER_TAB = "a" * 32, "b" * 32


@pytest.fixture(autouse=True)
def template(save):
    save("one")


def enter(actor, tab=TAB, name=NAME, part=""):
    presence.enter_editor(actor=actor, name=name, tab=tab, part=part)


def tabs():
    return presence.list_tabs_in_editor([NAME])[NAME]


def people():
    return sorted({tab.username for tab in tabs()})


def parts():
    return {tab.tab: tab.part for tab in tabs()}


def test_a_person_is_present_until_they_leave_the_editor(author, reviewer):
    enter(author)
    enter(reviewer, OTHER_TAB)
    assert people() == sorted([author.person.username, reviewer.person.username])
    presence.leave_editor(actor=author, tab=TAB)
    presence.leave_editor(actor=author, tab=TAB)
    assert people() == [reviewer.person.username]


def test_a_person_in_two_tabs_is_named_once_and_stays_while_one_is_open(author):
    enter(author)
    enter(author, OTHER_TAB)
    assert people() == [author.person.username]
    presence.leave_editor(actor=author, tab=TAB)
    assert people() == [author.person.username]


def test_the_tab_of_another_person_cannot_be_closed(author, reviewer):
    enter(author)
    enter(reviewer)
    presence.leave_editor(actor=reviewer, tab=TAB)
    assert people() == [author.person.username]


def test_a_tab_that_is_not_heard_of_counts_no_more(author):
    enter(author)
    EditorPresence.objects.update(seen_at=log.now() - presence.LIVES)
    assert people() == []
    assert presence.refresh_presence({(author.person.pk, TAB): ""}) == 1
    assert people() == [author.person.username]


def test_all_tabs_are_refreshed_by_one_statement(author, reviewer, django_assert_num_queries):
    enter(author)
    enter(reviewer, OTHER_TAB)
    with django_assert_num_queries(1):
        known = presence.refresh_presence({(author.person.pk, TAB): "task", (reviewer.person.pk, OTHER_TAB): ""})
    assert known == 2
    assert parts() == {TAB: "task", OTHER_TAB: ""}
    assert presence.refresh_presence({(author.person.pk, "c" * 32): "task"}) == 0


def test_a_tab_edits_the_part_that_it_named_last(author):
    enter(author, part="task")
    assert parts() == {TAB: "task"}
    presence.refresh_presence({(author.person.pk, TAB): "question {{ loop.index }}"})
    assert parts() == {TAB: "question {{ loop.index }}"}
    enter(author)
    assert parts() == {TAB: ""}


def test_equal_tab_numbers_of_two_people_have_separate_parts(author, reviewer):
    enter(author, part="task")
    enter(reviewer)  # the same number, made up by another browser
    presence.refresh_presence({(author.person.pk, TAB): "task", (reviewer.person.pk, TAB): "question"})
    assert {tab.username: tab.part for tab in tabs()} == {
        author.person.username: "task",
        reviewer.person.username: "question",
    }


@pytest.mark.parametrize("part", ["x" * 201, "two\nlines", "\x00", None, 7, ["task"]])
def test_the_name_of_a_part_is_one_short_line(author, part):
    with pytest.raises(Invalid) as caught:
        enter(author, part=part)
    assert set(caught.value.fields) == {"part"}
    enter(author, part="ü" * 200)
    assert parts() == {TAB: "ü" * 200}


def test_rows_that_were_left_over_go_with_the_next_tab(author):
    enter(author)
    EditorPresence.objects.update(seen_at=log.now() - 10 * presence.LIVES)
    enter(author, OTHER_TAB)
    assert list(EditorPresence.objects.values_list("tab", flat=True)) == [OTHER_TAB]


def test_a_former_member_is_not_listed(author):
    enter(author)
    namespace_services.set_role(
        actor=build_operator_actor(), namespace="support", username=author.person.username, role=None
    )
    assert people() == []


def test_only_who_may_edit_is_in_the_editor(reader, outsider, author):
    with pytest.raises(NotAllowed):
        enter(reader)
    for actor, name in ((outsider, NAME), (author, "support/none")):
        with pytest.raises(NotFound):
            enter(actor, name=name)
    assert people() == []


@pytest.mark.parametrize("tab", ["", "a" * 31, "A" * 32, "g" * 32, None, 7])
def test_the_number_of_a_tab_has_its_form(author, tab):
    with pytest.raises(Invalid) as caught:
        enter(author, tab)
    assert set(caught.value.fields) == {"tab"}


def test_presence_is_not_an_event(author):
    before = Event.objects.count()
    enter(author)
    assert Event.objects.count() == before


def test_a_refused_tab_or_part_is_reported_in_the_readers_language(author):
    with translation.override("de"), pytest.raises(Invalid) as refused:
        enter(author, tab="a")
    assert refused.value.fields == {"tab": "32 hexadezimale Ziffern, die jede Seite selbst wählt."}
    with translation.override("de"), pytest.raises(Invalid) as refused:
        enter(author, part="two\nlines")
    assert refused.value.fields == {"part": "der Name eines Teils: höchstens 200 Zeichen in einer Zeile."}
