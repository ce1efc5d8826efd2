"""Following a template: followers are notified of the chosen topics, and of no other template."""

import pytest

from registry.accounts.actor import Actor
from registry.changes import decisions
from registry.changes import services as change_services
from registry.core.errors import Conflict, Invalid, NotAllowed, NotFound
from registry.namespaces import keys
from registry.notifications import following, watches
from registry.notifications import queries as notification_queries
from registry.notifications.models import Notification, Watch
from registry.templates import labels

NAME = "support/reply"


def _act_on_it(author, reviewer, save):
    """A second version is saved, proposed, commented on and moved to a free label; another template is saved too."""
    version = save("two")
    save(name="support/other")
    change = change_services.propose_change(actor=author, name=NAME, label="production", version=2, message="")
    decisions.decide_on_change(
        actor=reviewer, number=change.number, decision="comment", digest=version.digest, text="Why?"
    )
    labels.move_label(actor=author, name=NAME, label="staging", version=2, expected=None)


KINDS = {
    "saved": ["version.saved"],
    "proposed": ["change.proposed"],
    "comments": ["change.decided"],
    "published": ["label.moved"],
}


@pytest.mark.parametrize("topic", sorted(KINDS))
def test_a_follower_is_notified_of_the_chosen_topic_only(author, reviewer, reader, save, topic):
    save()
    following.follow_template(actor=reader, name=NAME, topics=[topic])
    _act_on_it(author, reviewer, save)
    heard = Notification.objects.filter(person=reader.person).order_by("pk")
    assert [(row.kind, row.template.name) for row in heard] == [(kind, NAME) for kind in KINDS[topic]]


def test_without_a_topic_a_follower_is_notified_of_everything(author, reviewer, reader, save):
    save()
    following.follow_template(actor=reader, name=NAME)
    _act_on_it(author, reviewer, save)
    heard = Notification.objects.filter(person=reader.person).values_list("kind", flat=True)
    assert sorted(heard) == sorted(kind for kinds in KINDS.values() for kind in kinds)


def test_following_again_changes_the_topics_and_unfollowing_ends_it(reader, save):
    template = save().template
    following.follow_template(actor=reader, name=NAME, topics=["saved"])
    following.follow_template(actor=reader, name=NAME, topics=["published", "comments"])
    watch = following.find_follow(reader, template)
    assert watch is not None
    assert watch.topic_list == ["published", "comments"]
    following.unfollow_template(actor=reader, name=NAME)
    assert following.find_follow(reader, template) is None


def test_a_follow_counts_before_a_wider_wish(reader, save):
    template = save().template
    watches.set_watch_level(actor=reader, level="none", namespace="support")
    following.follow_template(actor=reader, name=NAME, topics=["saved"])
    assert notification_queries.list_watchers(template, "version.saved") == [reader.person]
    assert notification_queries.list_watchers(template, "label.moved") == []


def test_the_watch_level_none_is_not_following(reader, save):
    template = save().template
    watches.set_watch_level(actor=reader, level="none", namespace="support", template="reply")
    assert following.find_follow(reader, template) is None


def test_strangers_keys_and_unknown_topics_are_refused(outsider, reader, admin, save):
    save()
    key = keys.issue_key(actor=admin, namespace="support", name="service", scope="read", person="reader").key
    with pytest.raises(NotFound):
        following.follow_template(actor=outsider, name=NAME)
    with pytest.raises(NotAllowed, match="key"):
        following.follow_template(actor=Actor(reader.person, key), name=NAME)
    with pytest.raises(Invalid) as caught:
        following.follow_template(actor=reader, name=NAME, topics=["weather"])
    assert "topics" in caught.value.fields
    assert not Watch.objects.exists()


def test_templates_followed_are_bounded_with_the_other_wishes(reader, save):
    save()
    rows = (Watch(person=reader.person, template=str(at), level="all") for at in range(watches.MAX_WATCHES))
    Watch.objects.bulk_create(rows)
    with pytest.raises(Conflict):
        following.follow_template(actor=reader, name=NAME)
