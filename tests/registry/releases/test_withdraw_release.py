"""Withdrawing a release: who may, and the effect on its changes."""

import json

import pytest

from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.core.errors import Conflict, Invalid, NotAllowed
from registry.journal.models import Event
from registry.namespaces import services as namespace_services
from registry.releases import services as release_services
from tests.registry.releases.conftest import FOUR


@pytest.fixture
def other_author(admin):
    """A second author of the namespace."""
    person = User.objects.create(username="other-author")
    namespace_services.set_role(actor=admin, namespace="support", username="other-author", role="author")
    return Actor(person)


def test_a_withdrawn_release_takes_its_requests_with_it(author, open_release):
    release = open_release()
    release_services.withdraw_release(actor=author, number=release.number, reason="Legal said no")
    release.refresh_from_db()
    assert release.state == "withdrawn"
    assert set(release.members.values_list("state", flat=True)) == {"withdrawn"}
    kinds = [event.kind for event in Event.objects.order_by("-number")[:5]]
    assert kinds == ["release.withdrawn", *["change.withdrawn"] * 4]
    assert json.loads(Event.objects.latest("number").text)["body"]["reason"] == "Legal said no"


def test_a_reviewer_withdraws_what_an_author_opened(reviewer, open_release):
    release = open_release()
    assert release_services.withdraw_release(actor=reviewer, number=1, reason="No").state == "withdrawn"
    assert release.members.count() == 4


def test_another_author_does_not(other_author, open_release):
    open_release()
    with pytest.raises(NotAllowed, match="author proposed this release"):
        release_services.withdraw_release(actor=other_author, number=1, reason="No")


def test_nor_does_the_opener_withdraw_another_persons_request(author, other_author, save, propose, open_release):
    propose(save("one", name=FOUR[0]), actor=other_author)
    open_release()
    with pytest.raises(NotAllowed, match=f"other-author proposed this change of {FOUR[0]}"):
        release_services.withdraw_release(actor=author, number=1, reason="No")


def test_it_takes_a_reason(author, open_release):
    open_release()
    with pytest.raises(Invalid) as caught:
        release_services.withdraw_release(actor=author, number=1, reason=" ")
    assert list(caught.value.fields) == ["reason"]


def test_a_published_one_is_not_withdrawn(author, publish_release):
    publish_release()
    with pytest.raises(Conflict, match="Release 1 is published"):
        release_services.withdraw_release(actor=author, number=1, reason="No")
