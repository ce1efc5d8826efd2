"""Inviting people into a namespace, and accepting an invitation."""

import json
from datetime import timedelta

import pytest
from django.core import mail

from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.core.errors import Conflict, Invalid, NotAllowed, NotFound, ProofRequired
from registry.invitations import queries, services
from registry.invitations.models import Invitation
from registry.journal import log
from registry.journal.models import Event
from registry.namespaces import keys, permissions
from registry.namespaces import services as namespace_services
from registry.namespaces.models import Role

PASSWORD = "a long enough password"


def secret_of(invited):
    return invited.link.rpartition("/")[2]


@pytest.fixture
def newcomer(support):
    return User.objects.create(username="newcomer")


@pytest.fixture
def link(admin, support):
    return secret_of(services.invite_person(actor=admin, namespace="support", role="author"))


def test_an_accepted_invitation_gives_its_role_in_the_name_of_who_invited(link, newcomer, support):
    row = services.accept_invitation(actor=Actor(newcomer), secret=link)
    assert permissions.find_role(newcomer, support) == Role.AUTHOR
    assert (row.accepted_by, row.accepted_at is None) == (newcomer, False)
    event = Event.objects.latest("number")
    body = json.loads(event.text)["body"]
    assert (event.person, body) == (
        "admin",
        {"person": "newcomer", "role": "author", "invitation": row.id},
    )


def test_a_link_works_once(link, newcomer, support):
    services.accept_invitation(actor=Actor(newcomer), secret=link)
    user = User.objects.create(username="other")
    with pytest.raises(Conflict, match="accepted already"):
        services.accept_invitation(actor=Actor(user), secret=link)
    assert permissions.find_role(user, support) is None


def test_a_link_makes_an_account_with_a_password(link, support):
    person = services.accept_as_new_person(secret=link, username="fresh", password=PASSWORD, full_name="Fresh Person")
    assert person.check_password(PASSWORD)
    assert (person.display_name, permissions.find_role(person, support)) == ("Fresh Person", Role.AUTHOR)


@pytest.mark.parametrize(
    ("username", "password", "field"),
    [("Fresh", PASSWORD, "username"), ("operator", PASSWORD, "username"), ("fresh", "short", "password")],
)
def test_a_wrong_account_names_its_field_and_leaves_the_invitation_open(link, username, password, field):
    with pytest.raises(Invalid) as refusal:
        services.accept_as_new_person(secret=link, username=username, password=password)
    assert list(refusal.value.fields) == [field]
    assert queries.find_by_secret(link).accepted_at is None


def test_a_taken_name_leaves_the_invitation_open(link, newcomer):
    with pytest.raises(Conflict, match="There is an account newcomer already"):
        services.accept_as_new_person(secret=link, username="newcomer", password=PASSWORD)
    assert queries.find_by_secret(link).accepted_at is None


def test_no_secret_is_stored_or_in_the_journal(link):
    row = Invitation.objects.get()
    assert link not in str(row.__dict__)
    assert not Event.objects.filter(text__contains=link).exists()


def test_no_address_is_in_the_journal(admin, support):
    services.invite_person(actor=admin, namespace="support", role="reader", email="reader@example.org")
    assert not Event.objects.filter(text__contains="example.org").exists()


def test_an_expired_link_gives_nothing(link, newcomer, support):
    Invitation.objects.update(expires_at=log.now() - timedelta(seconds=1))
    with pytest.raises(Conflict, match="expired"):
        services.accept_invitation(actor=Actor(newcomer), secret=link)
    assert permissions.find_role(newcomer, support) is None


def test_a_link_that_was_taken_back_gives_nothing(admin, link, newcomer):
    services.end_invitation(actor=admin, invitation_id=Invitation.objects.get().id)
    with pytest.raises(Conflict, match="taken back"):
        services.accept_invitation(actor=Actor(newcomer), secret=link)


def test_an_invitation_is_taken_back_once(admin, link):
    for _ in range(2):
        services.end_invitation(actor=admin, invitation_id=Invitation.objects.get().id)
    assert Event.objects.filter(kind="invitation.ended").count() == 1


def test_an_accepted_invitation_is_not_taken_back(admin, link, newcomer):
    services.accept_invitation(actor=Actor(newcomer), secret=link)
    with pytest.raises(Conflict, match="take the role away"):
        services.end_invitation(actor=admin, invitation_id=Invitation.objects.get().id)


def test_a_new_link_ends_the_one_before(admin, link, newcomer):
    fresh = services.send_new_link(actor=admin, invitation_id=Invitation.objects.get().id)
    with pytest.raises(Conflict, match="taken back"):
        queries.find_by_secret(link)
    assert services.accept_invitation(actor=Actor(newcomer), secret=secret_of(fresh)).role == "author"


def test_the_inviter_must_still_be_an_admin_when_it_is_accepted(operator, link, newcomer, support):
    namespace_services.set_role(actor=operator, namespace="support", username="newcomer", role="admin")
    namespace_services.set_role(actor=operator, namespace="support", username="admin", role="reader")
    user = User.objects.create(username="other")
    with pytest.raises(Conflict, match="may not give roles in support any more"):
        services.accept_invitation(actor=Actor(user), secret=link)
    assert permissions.find_role(user, support) is None


def test_a_role_is_raised_by_an_invitation_and_never_lowered(admin, link, operator, support):
    reader, reviewer = User.objects.get(username="reader"), User.objects.get(username="reviewer")
    with pytest.raises(Conflict, match="You are reviewer of support already"):
        services.accept_invitation(actor=Actor(reviewer), secret=link)
    services.accept_invitation(actor=Actor(reader), secret=link)
    assert permissions.find_role(reader, support) == Role.AUTHOR
    assert permissions.find_role(reviewer, support) == Role.REVIEWER


@pytest.mark.parametrize("role", ["reader", "author", "reviewer"])
def test_admins_alone_invite_list_and_take_back(role, link, support):
    actor = Actor(User.objects.get(username=role))
    with pytest.raises(NotAllowed):
        services.invite_person(actor=actor, namespace="support", role="reader")
    with pytest.raises(NotAllowed):
        queries.list_open(actor, "support")
    with pytest.raises(NotAllowed):
        services.end_invitation(actor=actor, invitation_id=Invitation.objects.get().id)


def test_an_outsider_finds_no_invitation(link, newcomer):
    with pytest.raises(NotFound):
        services.end_invitation(actor=Actor(newcomer), invitation_id=Invitation.objects.get().id)


def test_no_key_invites_or_accepts(admin, link, support):
    key = keys.issue_key(actor=admin, namespace="support", name="ci", scope="write").key
    with pytest.raises(NotAllowed):
        services.invite_person(actor=Actor(admin.person, key), namespace="support", role="reader")
    with pytest.raises(NotAllowed):
        services.accept_invitation(actor=Actor(admin.person, key), secret=link)


def test_inviting_takes_a_fresh_proof_where_one_is_asked_for(admin, support):
    with pytest.raises(ProofRequired):
        services.invite_person(actor=Actor(admin.person, missing_proof="password"), namespace="support", role="reader")


@pytest.mark.parametrize(("role", "email", "field"), [("owner", "", "role"), ("reader", "no address", "email")])
def test_a_wrong_invitation_names_its_field(admin, support, role, email, field):
    with pytest.raises(Invalid) as refusal:
        services.invite_person(actor=admin, namespace="support", role=role, email=email)
    assert list(refusal.value.fields) == [field]


def test_an_address_has_one_open_invitation(admin, support):
    services.invite_person(actor=admin, namespace="support", role="reader", email="a@example.org")
    with pytest.raises(Conflict, match="open invitation already"):
        services.invite_person(actor=admin, namespace="support", role="author", email="A@example.org ")


def test_the_number_of_open_invitations_is_bounded(admin, support, link):
    row = Invitation.objects.get()
    Invitation.objects.bulk_create(
        Invitation(
            id=f"x{number}",
            namespace=support,
            role="reader",
            secret_sha256="",
            invited_by=admin.person,
            created_at=row.created_at,
            expires_at=row.expires_at,
        )
        for number in range(services.MAX_OPEN - 1)
    )
    with pytest.raises(Conflict, match="200 open invitations"):
        services.invite_person(actor=admin, namespace="support", role="reader")


def test_the_link_goes_out_by_mail_where_mail_is_set_up(admin, support, settings):
    settings.MAIL_IS_SENT = True
    invited = services.invite_person(actor=admin, namespace="support", role="reader", email="reader@example.org")
    assert invited.is_sent
    assert mail.outbox[0].to == ["reader@example.org"]
    assert invited.link in mail.outbox[0].body


def test_mail_that_fails_leaves_the_link_to_be_handed_on(admin, support, settings):
    settings.MAIL_IS_SENT = True
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
    invited = services.invite_person(actor=admin, namespace="support", role="reader", email="reader@example.org")
    assert not invited.is_sent
    assert queries.find_by_secret(secret_of(invited)).email == "reader@example.org"


def test_with_a_provider_an_invitation_needs_an_address_and_the_account_has_no_password(admin, support, settings):
    settings.OIDC_ISSUER = "https://id.example.org"
    with pytest.raises(Invalid) as refusal:
        services.invite_person(actor=admin, namespace="support", role="reader")
    assert "email" in refusal.value.fields
    invited = services.invite_person(actor=admin, namespace="support", role="reader", email="fresh@example.org")
    person = services.accept_as_new_person(secret=secret_of(invited), username="fresh", password=None)
    assert (person.email, person.has_usable_password()) == ("fresh@example.org", False)


def test_an_account_without_a_password_needs_an_address(link):
    with pytest.raises(Conflict, match="no mail address"):
        services.accept_as_new_person(secret=link, username="fresh", password=None)


def test_whom_a_contributor_invites_after_the_first_version_may_not_approve(admin, newcomer, propose, approve, save):
    change = propose(save("one", actor=admin), actor=admin)
    invited = services.invite_person(actor=admin, namespace="support", role="reviewer")
    services.accept_invitation(actor=Actor(newcomer), secret=secret_of(invited))
    with pytest.raises(NotAllowed, match="from admin, who contributed to this change"):
        approve(change, actor=Actor(newcomer))


def test_several_people_are_invited_together(admin, support):
    emails = ["One@example.org", "two@example.org", "one@example.org"]
    invited = services.invite_people(actor=admin, namespace="support", role="author", emails=emails)
    assert [answer.email for answer in invited] == ["one@example.org", "two@example.org"]
    assert len({answer.invited.link for answer in invited}) == 2


def test_a_wrong_address_among_several_invites_nobody_and_each_is_named(admin, support):
    emails = ["one@example.org", "two@", "three"]
    with pytest.raises(Invalid) as error:
        services.invite_people(actor=admin, namespace="support", role="author", emails=emails)
    assert error.value.fields == {"email": "not mail addresses: two@, three."}
    assert not Invitation.objects.exists()


def outcomes_of(answers):
    return {answer.email: answer.outcome for answer in answers}


def test_invited_people_and_members_are_named_and_the_others_are_invited(admin, support):
    User.objects.filter(username="reviewer").update(email="Reviewer@example.org")
    services.invite_people(actor=admin, namespace="support", role="author", emails=["one@example.org"])
    emails = ["two@example.org", "reviewer@EXAMPLE.org", "one@example.org"]
    answers = services.invite_people(actor=admin, namespace="support", role="author", emails=emails)
    assert [answer.outcome for answer in answers] == ["invited", "already_member", "already_invited"]
    assert [answer.sentence for answer in answers] == [
        "two@example.org: no mail server is set up here. Hand the link on.",
        "reviewer@example.org is the address of reviewer, who is reviewer of support already.",
        "one@example.org has an open invitation already: send a new link, or take it back first.",
    ]
    assert [answer.invited is None for answer in answers] == [False, True, True]
    assert Invitation.objects.count() == 2
    assert permissions.find_role(User.objects.get(username="reviewer"), support) == Role.REVIEWER


def test_an_account_with_a_proven_address_gets_the_role_immediately(admin, support):
    User.objects.create(username="proven", email="proven@example.org")
    User.objects.create(username="claimed", email="claimed@example.org", is_address_unproven=True)
    User.objects.create(username="asleep", email="asleep@example.org", is_active=False)
    for name in ("first", "second"):
        User.objects.create(username=name, email="shared@example.org")
    emails = [f"{name}@example.org" for name in ("proven", "claimed", "asleep", "shared")]
    answers = services.invite_people(actor=admin, namespace="support", role="author", emails=emails)
    assert outcomes_of(answers) == dict(zip(emails, ["role_given", *["invited"] * 3], strict=True))
    assert answers[0].sentence == "proven@example.org: proven has an account already, and is author of support now."
    assert permissions.find_role(User.objects.get(username="proven"), support) == Role.AUTHOR
    assert json.loads(Event.objects.get(kind="member.set", text__contains="proven").text)["body"]["person"] == "proven"
    assert permissions.find_role(User.objects.get(username="claimed"), support) is None


def test_an_open_invitation_stays_where_its_address_is_proven_later(admin, support):
    services.invite_people(actor=admin, namespace="support", role="author", emails=["proven@example.org"])
    person = User.objects.create(username="proven", email="proven@example.org")
    answers = services.invite_people(actor=admin, namespace="support", role="author", emails=["proven@example.org"])
    assert outcomes_of(answers) == {"proven@example.org": "already_invited"}
    assert permissions.find_role(person, support) is None


def test_a_deactivated_member_is_named_as_one(admin, support):
    User.objects.filter(username="reviewer").update(email="reviewer@example.org", is_active=False)
    (answer,) = services.invite_people(actor=admin, namespace="support", role="author", emails=["reviewer@example.org"])
    assert answer.sentence.endswith("who is reviewer of support already and is deactivated.")


def test_a_link_for_one_address_is_made_where_it_raises_the_role_only(admin, support):
    User.objects.filter(username="author").update(email="author@example.org")
    invite = {"actor": admin, "namespace": "support", "email": "author@example.org"}
    with pytest.raises(Conflict, match="author, who is author of support already"):
        services.invite_person(role="author", **invite)
    assert services.invite_person(role="reviewer", **invite).invitation.role == "reviewer"


@pytest.mark.parametrize(("count", "is_room"), [(20, True), (21, False)])
def test_at_most_twenty_are_invited_in_one_request(admin, support, count, is_room):
    emails = [f"person-{number}@example.org" for number in range(count)]
    if is_room:
        assert len(services.invite_people(actor=admin, namespace="support", role="author", emails=emails)) == count
        return
    with pytest.raises(Invalid) as error:
        services.invite_people(actor=admin, namespace="support", role="author", emails=emails)
    assert error.value.fields == {"email": "at most 20 addresses at once."}
