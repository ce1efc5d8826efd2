"""Applying suggestions: they become the next version of a change, or are refused."""

import pytest

from registry.changes import rules, suggestions, threads
from registry.changes import services as change_services
from registry.changes import thread_queries as found
from registry.changes.threads import Place
from registry.core.errors import Conflict, Invalid, NotAllowed, NotFound
from registry.templates.models import Version


@pytest.fixture
def suggest(reviewer):
    def run(line, text, end_line=None):
        place = Place(version=1, line=line, end_line=end_line)
        return threads.open_thread(actor=reviewer, number=1, place=place, text="", suggestion=text).number

    return run


def test_a_suggestion_becomes_the_next_version_and_the_head(author, change, suggest):
    suggest(7, "    Say: {{ question }}\n")
    head = suggestions.apply_suggestions(actor=author, number=1, comments=[(1, 1)])
    assert (head.version.number, head.round) == (2, 2)
    assert "    Say: {{ question }}\n" in head.version.document
    assert (head.version.message, head.version.base) == ("Apply a suggestion", change.version)
    assert [placed.is_resolved for placed in found.list_threads(head)] == [True]


def test_several_go_in_together(author, change, suggest):
    suggest(7, "    Say: {{ question }}\n    Be brief.\n")
    suggest(5, "- name: ask\n  role: user\n")
    head = suggestions.apply_suggestions(actor=author, number=1, comments=[(1, 1), (2, 1)])
    assert head.version.document.endswith(
        "- name: ask\n  role: user\n  content: |\n    Say: {{ question }}\n    Be brief.\n"
    )


def test_an_earlier_approval_falls(author, reviewer, change, suggest, approve):
    approve(change)
    suggest(7, "    Say: {{ question }}\n")
    assert suggestions.apply_suggestions(actor=author, number=1, comments=[(1, 1)]).state == "open"


def test_two_about_one_line_are_not_applied_together(author, change, suggest):
    suggest(6, "  content: |2\n", end_line=7)
    suggest(7, "    Say: {{ question }}\n")
    with pytest.raises(Conflict, match="about line 7"):
        suggestions.apply_suggestions(actor=author, number=1, comments=[(1, 1), (2, 1)])
    assert Version.objects.count() == 1


def test_lines_that_were_changed_since_take_no_suggestion(author, change, suggest, save):
    suggest(7, "    Say: {{ question }}\n")
    change_services.set_head(actor=author, number=1, version=save("two").number)
    with pytest.raises(Conflict, match="changed since"):
        suggestions.apply_suggestions(actor=author, number=1, comments=[(1, 1)])


def test_applying_the_last_approvers_suggestions_must_be_confirmed(author, reviewer, admin, change, suggest):
    """Both people who may approve would be contributors afterwards."""
    suggest(7, "    Say: {{ question }}\n")
    threads.open_thread(actor=admin, number=1, place=Place(version=1, line=5), text="", suggestion="- name: ask\n")
    with pytest.raises(Conflict, match="Only admin and reviewer may approve this change") as caught:
        suggestions.apply_suggestions(actor=author, number=1, comments=[(1, 1), (2, 1)])
    assert "With this in it admin and reviewer would have contributed" in caught.value.message
    assert (caught.value.facts["confirm"], caught.value.facts["people"]) == (True, ["admin", "reviewer"])
    assert Version.objects.count() == 1
    head = suggestions.apply_suggestions(actor=author, number=1, comments=[(1, 1), (2, 1)], confirm=True)
    assert head.version.number == 2


def test_nobody_is_asked_about_it_where_suggesting_costs_no_approval(author, admin, change, suggest):
    rules.set_rules(actor=admin, namespace="support", approvals=2)
    suggest(7, "    Say: {{ question }}\n")
    rules.set_rules(actor=admin, namespace="support", suggesters_may_approve=True)
    assert suggestions.apply_suggestions(actor=author, number=1, comments=[(1, 1)]).version.number == 2


def test_a_suggestion_that_breaks_the_document_changes_nothing(author, change, suggest):
    suggest(7, "    {{ broken\n")
    with pytest.raises(Invalid) as caught:
        suggestions.apply_suggestions(actor=author, number=1, comments=[(1, 1)])
    assert caught.value.problems[0].line == 7
    assert [placed.is_resolved for placed in found.list_threads(change)] == [False]


def test_a_comment_without_a_suggestion_is_none(author, reviewer, change):
    threads.open_thread(actor=reviewer, number=1, place=Place(version=1, line=7), text="Hm")
    for comment in ((1, 1), (1, 2), (9, 1)):
        with pytest.raises(NotFound, match="no suggestion"):
            suggestions.apply_suggestions(actor=author, number=1, comments=[comment])


def test_a_suggestion_on_a_rendered_line_names_a_sample_that_is_there(reviewer, change):
    place = Place(version=1, line=1, side="rendered", sample="a")
    with pytest.raises(Invalid, match="there is no sample"):
        threads.open_thread(actor=reviewer, number=1, place=place, text="", suggestion="x")


def test_a_reader_applies_nothing(reader, change, suggest):
    suggest(7, "    Say\n")
    with pytest.raises(NotAllowed):
        suggestions.apply_suggestions(actor=reader, number=1, comments=[(1, 1)])


def test_a_closed_request_takes_none(author, change, suggest):
    suggest(7, "    Say\n")
    change_services.withdraw_change(actor=author, number=1, reason="Not needed")
    with pytest.raises(Conflict, match="is withdrawn"):
        suggestions.apply_suggestions(actor=author, number=1, comments=[(1, 1)])
