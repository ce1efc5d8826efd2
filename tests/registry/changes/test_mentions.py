"""Mentions of people and groups in Markdown."""

import pytest

from registry.changes import decisions, mentions, threads
from registry.changes.remark_markdown import list_mentions
from registry.changes.threads import Place
from registry.namespaces import groups
from registry.notifications.models import Notification, Watch


def list_recipients(kind="mention"):
    rows = Notification.objects.filter(kind=kind).order_by("person__username")
    return list(rows.values_list("person__username", flat=True))


def say(actor, change, text):
    return threads.open_thread(actor=actor, number=change.number, place=Place(version=1, line=6), text=text)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Ask @reviewer, @admin.", ("reviewer", "admin")),
        ("@a.b-c_d and @a.b-c_d", ("a.b-c_d",)),
        ("`@reviewer`, and [a link @admin](/x)", ()),
        ("```\n@reviewer\n```", ()),
        ("    @reviewer", ()),
        ("mail a@b.example, @@reviewer, http://x/@admin", ()),
        ("**@reviewer** (@admin)", ("reviewer", "admin")),
        ("@Reviewer", ()),
        ("no name", ()),
    ],
)
def test_mentions_are_found_in_text(text, names):
    assert list_mentions(text) == names


@pytest.mark.parametrize(
    ("written", "name"),
    [("anna", "anna"), ("anna-friendly", "anna"), ("an", ""), ("a.b", "a.b"), ("a.b.c", "a.b"), ("zoe", "")],
)
def test_a_mention_means_the_longest_name_that_there_is(written, name):
    assert mentions.resolve_mention(written, {"anna", "a.b"}) == name


def test_a_member_who_is_mentioned_is_told_once(author, reviewer, change):
    say(reviewer, change, "What do you say, @author and @admin?")
    assert list_recipients() == ["admin", "author"]
    assert list_recipients("comment.added") == []
    sentence = Notification.objects.filter(kind="mention").first().sentence
    assert sentence == "reviewer mentioned you in support/reply v1 for production (change 1)."


def test_all_of_a_group_are_told(admin, author, reviewer, change):
    groups.make_group(actor=admin, namespace="support", title="Legal")
    for username in ("admin", "reader"):
        groups.add_to_group(actor=admin, namespace="support", name="legal", username=username)
    say(reviewer, change, "@legal")
    assert list_recipients() == ["admin", "reader"]


def test_outsiders_and_unknown_names_are_not_notified(reviewer, outsider, change):
    say(reviewer, change, "@outsider @nobody @operator")
    assert list_recipients() == []


def test_the_writer_is_not_told(reviewer, change):
    say(reviewer, change, "@reviewer")
    assert list_recipients() == []


def test_a_decision_s_words_mention_too(reviewer, change):
    decisions.decide_on_change(
        actor=reviewer, number=change.number, decision="comment", digest=change.version.digest, text="@admin, look"
    )
    assert list_recipients() == ["admin"]


def test_a_mentioned_watcher_is_notified_once(admin, reviewer, change):
    Watch.objects.create(person=admin.person, namespace=change.template.namespace, level=Watch.ALL)
    say(reviewer, change, "@admin")
    assert [*list_recipients(), *list_recipients("comment.added")] == ["admin", "author"]


def test_members_and_groups_can_be_mentioned(admin, change):
    groups.make_group(actor=admin, namespace="support", title="Legal team")
    names = [(each.name, each.is_group) for each in mentions.list_mentionable(change.template.namespace)]
    assert names == [("admin", False), ("author", False), ("reader", False), ("reviewer", False), ("legal-team", True)]
