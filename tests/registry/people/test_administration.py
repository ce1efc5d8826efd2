"""Actions of admins of the installation on accounts, and their effects."""

from datetime import timedelta

import pytest
from allauth.mfa.models import Authenticator
from django.contrib.sessions.models import Session

from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.changes.models import ChangeRequest
from registry.core.errors import Conflict, NotAllowed, NotFound, ProofRequired
from registry.journal import log
from registry.journal.models import Event
from registry.namespaces import key_queries, keys, services
from registry.people import administration, permissions, queries
from tests.support.sessions import open_session


@pytest.fixture
def boss(operator, support) -> Actor:
    """An admin of the installation without any membership."""
    User.objects.create(username="boss")
    return Actor(administration.set_installation_admin(actor=operator, username="boss", is_admin=True))


def _enrol(actor: Actor) -> None:
    Authenticator.objects.create(user=actor.person, type=Authenticator.Type.TOTP, data={})


def _state(change: ChangeRequest) -> str:
    return ChangeRequest.objects.get(pk=change.pk).state


def test_a_deactivated_person_is_signed_out_and_their_keys_open_nothing(boss, admin, author):
    session = open_session(author.person)
    key = keys.issue_key(actor=admin, namespace="support", name="bot", scope="read", person="author")
    administration.deactivate_person(actor=boss, username="author")
    assert not Session.objects.filter(session_key=session.session_key).exists()
    assert key_queries.authenticate_key(key.secret) is None
    event = Event.objects.latest("number")
    assert (event.kind, event.person, event.namespace) == ("person.deactivated", "boss", "")
    administration.reactivate_person(actor=boss, username="author")
    assert key_queries.authenticate_key(key.secret) is not None
    assert Event.objects.latest("number").kind == "person.reactivated"


def test_doing_it_twice_is_one_event(boss, author):
    for _ in range(2):
        administration.deactivate_person(actor=boss, username="author")
    for _ in range(2):
        administration.reactivate_person(actor=boss, username="author")
    assert Event.objects.filter(kind__startswith="person.").count() == 2


@pytest.mark.parametrize(
    "act",
    [
        administration.deactivate_person,
        administration.reactivate_person,
        administration.reset_second_step,
        administration.end_sessions_of_person,
    ],
)
def test_only_admins_of_the_installation_do_it_and_never_a_key(act, boss, admin, author):
    with pytest.raises(NotAllowed, match="Accounts are managed by admins of the installation: boss"):
        act(actor=admin, username="author")
    key = keys.issue_key(actor=admin, namespace="support", name="bot", scope="write", person="admin").key
    User.objects.filter(username="admin").update(is_superuser=True)
    with pytest.raises(NotAllowed, match="A key"):
        act(actor=Actor(User.objects.get(username="admin"), key), username="author")
    with pytest.raises(NotFound):
        act(actor=boss, username="operator")


def test_the_last_admin_of_a_namespace_is_not_deactivated(boss, admin, author):
    with pytest.raises(Conflict, match="support needs another admin first"):
        administration.deactivate_person(actor=boss, username="admin")
    services.set_role(actor=admin, namespace="support", username="author", role="admin")
    administration.deactivate_person(actor=boss, username="admin")
    assert not User.objects.get(username="admin").is_active


def test_nobody_deactivates_themselves(boss):
    with pytest.raises(Conflict, match="your own account"):
        administration.deactivate_person(actor=boss, username="boss")


def test_a_deactivated_admin_of_the_installation_acts_no_more(boss, operator, author):
    administration.deactivate_person(actor=operator, username="boss")
    with pytest.raises(NotAllowed):
        administration.deactivate_person(actor=boss, username="author")


def test_only_the_operator_names_admins_of_the_installation(boss, operator):
    with pytest.raises(NotAllowed):
        administration.set_installation_admin(actor=boss, username="author", is_admin=True)
    administration.set_installation_admin(actor=operator, username="boss", is_admin=False)
    assert not permissions.is_installation_admin(Actor(User.objects.get(username="boss")))


def test_reactivating_and_resetting_take_a_fresh_proof(boss, author):
    administration.deactivate_person(actor=boss, username="author")
    stale = Actor(boss.person, missing_proof="password")
    with pytest.raises(ProofRequired):
        administration.reactivate_person(actor=stale, username="author")
    _enrol(author)
    with pytest.raises(ProofRequired):
        administration.reset_second_step(actor=stale, username="author")
    assert Authenticator.objects.filter(user=author.person).exists()


def test_resetting_removes_the_second_step_and_ends_sessions(boss, author):
    _enrol(author)
    open_session(author.person)
    administration.reset_second_step(actor=boss, username="author")
    assert not Authenticator.objects.filter(user=author.person).exists()
    assert not Session.objects.exists()
    with pytest.raises(Conflict, match="no two-step sign-in"):
        administration.reset_second_step(actor=boss, username="author")


def test_an_approval_of_an_account_reset_by_a_contributor_does_not_count(operator, reviewer, save, propose, approve):
    administration.set_installation_admin(actor=operator, username="author", is_admin=True)
    contributor = Actor(User.objects.get(username="author"))
    change = propose(save())
    approve(change)
    assert _state(change) == ChangeRequest.APPROVED
    _enrol(reviewer)
    administration.reset_second_step(actor=contributor, username="reviewer")
    assert _state(change) == ChangeRequest.OPEN


def test_an_approval_of_a_deactivated_person_does_not_count_until_they_are_back(boss, save, propose, approve):
    change = propose(save())
    approve(change)
    administration.deactivate_person(actor=boss, username="reviewer")
    assert _state(change) == ChangeRequest.OPEN
    administration.reactivate_person(actor=boss, username="reviewer")
    assert _state(change) == ChangeRequest.APPROVED


def test_the_panel_says_what_follows(boss, admin, author, reviewer, save, propose):
    change = propose(save())
    soon = log.now() + timedelta(days=1)
    keys.issue_key(actor=admin, namespace="support", name="bot", scope="read", person="author", expires_at=soon)
    ended = keys.issue_key(actor=admin, namespace="support", name="old", scope="read", person="author").key
    keys.revoke_key(actor=admin, key_id=ended.id)
    effects = queries.describe_effects_of_deactivation(boss, "author")
    assert (effects.own_changes, effects.last_admin_of) == ([change.number], [])
    assert [(key.name, key.namespace, key.fetches) for key in effects.keys] == [("bot", "support", 0)]
    assert queries.describe_effects_of_deactivation(boss, "admin").last_admin_of == ["support"]


def test_the_panel_names_what_nobody_else_owns_or_reviews(boss, admin, reviewer, support):
    shared = {"pattern": "*", "people": ["reviewer", "admin"]}
    support.owners = [{"pattern": "refunds/*", "people": ["reviewer"]}, shared]
    support.save()
    effects = queries.describe_effects_of_deactivation(boss, "reviewer")
    assert (effects.sole_owner, effects.without_reviewer) == ([("support", "refunds/*")], [])
    services.set_role(actor=admin, namespace="support", username="author", role="admin")
    User.objects.filter(username__in=["admin", "author"]).update(is_active=False)
    assert queries.describe_effects_of_deactivation(boss, "reviewer").without_reviewer == ["support"]


def test_admins_see_the_people_of_their_namespaces_and_admins_of_the_installation_all(boss, admin, author, outsider):
    of_admin = {row.username: row for row in queries.list_people(admin)}
    assert set(of_admin) == {"author", "reviewer", "reader", "admin"}
    (role,) = of_admin["author"].roles
    assert (role.namespace, role.role, role.own_role, role.folder_roles) == ("support", "author", "author", {})
    assert {"outsider", "boss"} <= {row.username for row in queries.list_people(boss)}
    with pytest.raises(NotAllowed):
        queries.list_people(author)


def test_the_list_is_filtered_and_hides_deactivated_people(boss, admin, author):
    administration.deactivate_person(actor=boss, username="author")
    assert [row.username for row in queries.list_people(boss, words="AUTH")] == []
    assert [row.username for row in queries.list_people(boss, words="AUTH", with_deactivated=True)] == ["author"]


def test_the_list_takes_as_many_queries_for_one_as_for_twenty(boss, admin, django_assert_num_queries):
    for number in range(20):
        User.objects.create(username=f"p{number}")
    with django_assert_num_queries(6):
        assert len(queries.list_people(boss)) > 20
