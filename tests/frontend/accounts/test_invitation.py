"""The page that an invitation's link leads to."""

import pytest
from django.test import Client

from registry.accounts.models import User
from registry.invitations import services
from registry.invitations.models import Invitation
from registry.namespaces import permissions
from registry.namespaces.models import Namespace
from tests.frontend.conftest import read_html

PASSWORD = "a long enough password"


@pytest.fixture
def path(desk):
    invited = services.invite_person(actor=desk.actor("admin"), namespace="support", role="author")
    return f"/invitations/{invited.link.rpartition('/')[2]}"


def find_role(username):
    person = User.objects.get(username=username)
    return permissions.find_role(person, Namespace.objects.get(name="support"))


def test_a_stranger_makes_an_account_and_is_signed_in(path):
    client = Client()
    assert "admin invites you to the prompts of support" in read_html(client.get(path))
    answer = client.post(path, {"username": "fresh", "full_name": "", "password": PASSWORD})
    assert (answer.status_code, answer["Location"]) == (302, "/t/support/")
    assert "Welcome to support: you are author there." in read_html(client.get("/t/support/"))
    assert find_role("fresh") == "author"


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        ({"username": "Fresh One", "password": PASSWORD}, "lower-case letters, digits"),
        ({"username": "fresh", "password": "short"}, "too short"),
        ({"username": "author", "password": PASSWORD}, "There is an account author already"),
        ({"username": "", "password": ""}, "This field is required"),
    ],
)
def test_a_wrong_account_is_reported_at_its_field(path, sent, sentence):
    answer = Client().post(path, sent)
    assert answer.status_code in (409, 422)
    assert sentence in read_html(answer)
    assert Invitation.objects.get().accepted_at is None


def test_a_signed_in_person_accepts_with_one_click(path, browser):
    client = browser("outsider")
    assert "You are signed in as <b>outsider</b>" in read_html(client.get(path))
    assert client.post(path)["Location"] == "/t/support/"
    assert find_role("outsider") == "author"


def test_a_reviewer_for_whom_something_waits_comes_to_the_page_that_says_so(desk, reply):
    reply.propose(2)
    invited = services.invite_person(actor=desk.actor("admin"), namespace="support", role="reviewer")
    client = Client()
    answer = client.post(f"/invitations/{invited.link.rpartition('/')[2]}", {"username": "fresh", "password": PASSWORD})
    assert (answer.status_code, answer["Location"]) == (302, "/")
    assert "1 thing is waiting on you" in read_html(client.get("/"))


def test_the_page_links_to_the_sign_in_that_comes_back(path):
    assert f'href="/login?next={path}"' in read_html(Client().get(path))


def test_a_used_link_is_reported(path, browser):
    browser("outsider").post(path)
    answer = Client().get(path)
    assert answer.status_code == 409
    assert "accepted already" in read_html(answer)


def test_an_unknown_link_is_reported(desk):
    answer = Client().get("/invitations/none")
    assert answer.status_code == 404
    assert "There is no such invitation" in read_html(answer)


def test_the_page_is_kept_by_no_cache(path):
    assert "no-store" in Client().get(path)["Cache-Control"]


def test_tries_from_one_address_are_bounded(path):
    answers = [Client().post(path, {"username": "", "password": ""}).status_code for _ in range(11)]
    assert answers == [422] * 10 + [429]


def test_with_a_provider_the_account_has_no_password(desk, settings):
    settings.OIDC_ISSUER, settings.OIDC_NAME = "https://id.example.org", "Example"
    invited = services.invite_person(
        actor=desk.actor("admin"), namespace="support", role="author", email="fresh@example.org"
    )
    client, path = Client(), f"/invitations/{invited.link.rpartition('/')[2]}"
    assert "Join with Example" in read_html(client.get(path))
    assert client.post(path, {"username": "fresh"})["Location"] == "/login/with/oidc?next=%2F"
    assert not User.objects.get(username="fresh").has_usable_password()


def test_an_admin_invites_and_sees_the_link_once(desk, browser):
    client = browser("admin")
    answer = client.post("/n/support/members", {"do": "invite", "role": "author", "email": "new@example.org"})
    assert answer.status_code == 201
    assert "/invitations/" in read_html(answer)
    assert "no-store" in answer["Cache-Control"]
    page = read_html(client.get("/n/support/members"))
    assert "new@example.org" in page
    assert "/invitations/" not in page


def test_a_wrong_address_is_reported_at_its_field(desk, browser):
    answer = browser("admin").post("/n/support/members", {"do": "invite", "role": "author", "email": "nobody"})
    assert answer.status_code == 422
    assert "Not a mail address: nobody." in read_html(answer)


def test_an_invitation_is_renewed_and_taken_back(path, browser):
    client, row = browser("admin"), Invitation.objects.get()
    renewed = client.post("/n/support/members", {"do": "again", "invitation": row.id})
    assert "Hand this link on" in read_html(renewed)
    fresh = Invitation.objects.exclude(id=row.id).get()
    client.post("/n/support/members", {"do": "end", "invitation": fresh.id})
    assert "Link works until" not in read_html(client.get("/n/support/members"))
    assert Client().get(path).status_code == 409


def test_members_see_no_invitations(path, browser):
    assert "Invite somebody" not in read_html(browser("reader").get("/n/support/members"))
