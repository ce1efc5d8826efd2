"""Drafts shared by link: who can read them, and when the link ends."""

import pytest

from registry.accounts.actor import build_operator_actor
from registry.core.errors import NotAllowed, NotFound
from registry.namespaces import services as namespace_services
from registry.templates import drafts, shared_drafts
from registry.templates import save as template_save

pytestmark = pytest.mark.dialect
NAME = "support/reply"


def keep(actor, document="work", name="", **facts):
    return drafts.save_draft(actor=actor, namespace="support", path="reply", document=document, name=name, **facts)


def share(actor, name=""):
    return shared_drafts.share_draft(actor=actor, name=NAME, draft_name=name).share_token


@pytest.fixture
def token(author):
    keep(author)
    return share(author)


def find(actor, token, name=NAME):
    return shared_drafts.find_shared_draft(actor, name, token)


def test_members_read_a_shared_draft_as_it_is_now(author, reader, reviewer, token):
    assert find(reader, token).document == "work"
    keep(author, "more work")
    found = find(reviewer, token)
    assert (found.document, found.revision, found.person) == ("more work", 2, author.person)
    assert found.shared_at is not None


def test_outsiders_get_the_same_error_as_for_a_wrong_link(outsider, reader, token):
    with pytest.raises(NotFound) as refused:
        find(outsider, token)
    with pytest.raises(NotFound) as wrong:
        find(reader, "no-such-link")
    assert refused.value.message == wrong.value.message


def test_a_link_is_of_one_template_and_one_draft(author, reader, token):
    keep(author, "other", name="Shorter")
    assert find(reader, token).name == ""
    assert find(reader, share(author, "Shorter")).document == "other"
    with pytest.raises(NotFound):
        find(reader, token, "support/other")


def test_sharing_again_keeps_the_link(author, token):
    assert share(author) == token


def test_sharing_again_creates_another_link(author, reader, token):
    shared_drafts.stop_sharing_draft(actor=author, name=NAME)
    with pytest.raises(NotFound):
        find(reader, token)
    renewed = share(author)
    assert renewed != token
    assert find(reader, renewed)


def test_a_discarded_draft_is_not_shared_and_not_when_it_is_restored(author, reader, token):
    drafts.discard_draft(actor=author, namespace="support", path="reply")
    with pytest.raises(NotFound):
        find(reader, token)
    drafts.restore_draft(actor=author, namespace="support", path="reply")
    with pytest.raises(NotFound):
        find(reader, token)


def test_saving_ends_the_link(author, reader, token, document):
    template_save.save_version(actor=author, name=NAME, document=document("one"), message="")
    with pytest.raises(NotFound):
        find(reader, token)


def test_an_owner_who_left_or_is_closed_shares_nothing(author, reader, token):
    author.person.is_active = False
    author.person.save(update_fields=["is_active"])
    with pytest.raises(NotFound):
        find(reader, token)
    author.person.is_active = True
    author.person.save(update_fields=["is_active"])
    assert find(reader, token)
    namespace_services.set_role(
        actor=build_operator_actor(), namespace="support", username=author.person.username, role=None
    )
    with pytest.raises(NotFound):
        find(reader, token)


def test_only_the_owner_shares_and_stops(reader, reviewer, outsider, token):
    for actor, error in ((reader, NotAllowed), (reviewer, NotFound), (outsider, NotFound)):
        with pytest.raises(error):
            share(actor)
    with pytest.raises(NotFound):
        shared_drafts.stop_sharing_draft(actor=reviewer, name=NAME)
    assert find(reader, token)
