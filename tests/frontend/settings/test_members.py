"""The members page of a namespace: roles with undo, their effect on open changes, and owners."""

import re

import pytest

from registry.changes import decisions
from registry.namespaces import folder_roles, groups
from registry.namespaces.models import Membership, Namespace
from tests.frontend.conftest import read_html

PAGE = "/n/support/members"


def read_role(username):
    row = Membership.objects.filter(namespace__name="support", person__username=username).first()
    return row.role if row else ""


def read_hidden_fields(html, marker):
    """The hidden fields of the form that holds the marker, but for the token."""
    form = next(form for form in re.findall(r"<form.*?</form>", html, re.DOTALL) if marker in form)
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form))
    fields.pop("csrfmiddlewaretoken", None)
    return fields


def set_role(client, username, role, **more):
    return client.post(PAGE, {"username": username, "role": role, **more}, follow=True)


def set_owners(client, pattern, owners, **more):
    return client.post(PAGE, {"do": "owners", "pattern": pattern, "owners": owners, **more}, follow=True)


@pytest.fixture
def approved(reply):
    """A change that the reviewer approved."""
    change = reply.propose(2)
    digest = change.version.digest
    decisions.decide_on_change(actor=reply.actor("reviewer"), number=change.number, decision="approve", digest=digest)
    return change


def test_a_role_that_was_set_is_undone_from_the_status_line(browser, desk):
    admin = browser("admin")
    page = set_role(admin, "reader", "author").content.decode()
    assert "reader is now author." in page
    undo = read_hidden_fields(page, ">Undo</button>")
    assert undo == {"username": "reader", "namespace": "support", "role": "reader"}
    set_role(admin, **{name: undo[name] for name in ("username", "role")})
    assert read_role("reader") == "reader"


def test_a_new_member_is_undone_to_no_role(browser, desk):
    page = set_role(browser("admin"), "outsider", "reader").content.decode()
    assert read_hidden_fields(page, ">Undo</button>")["role"] == ""


def test_own_rights_that_were_given_up_have_no_undo(browser, desk):
    admin = browser("admin")
    set_role(admin, "reader", "admin")
    assert ">Undo</button>" not in set_role(admin, "admin", "reader").content.decode()


def test_effects_on_open_changes_are_confirmed_before_the_role_is_set(browser, approved):
    admin = browser("admin")
    answer = set_role(admin, "reviewer", "author")
    page = read_html(answer)
    assert "<b>reviewer is not author in support yet.</b>" in page
    assert f"reviewer&#x27;s approval of change {approved.number} will not count any more." in page
    assert read_role("reviewer") == "reviewer"
    fields = read_hidden_fields(answer.content.decode(), 'name="confirmed"')
    assert set_role(admin, "reviewer", "reader", confirmed="another seal").status_code == 200
    assert read_role("reviewer") == "reviewer"
    assert "reviewer is now author." in read_html(admin.post(PAGE, {**fields, "do": "role"}, follow=True))
    assert read_role("reviewer") == "author"


def test_the_page_of_people_names_it_as_well(browser, approved):
    admin = browser("admin")
    sent = {"do": "role", "username": "reviewer", "namespace": "support", "role": ""}
    answer = admin.post("/people", sent)
    assert f"approval of change {approved.number} will not count" in read_html(answer)
    assert read_role("reviewer") == "reviewer"
    done = admin.post(
        "/people", read_hidden_fields(answer.content.decode(), 'name="confirmed"') | {"do": "role"}, follow=True
    )
    assert "reviewer has no access to support now." in read_html(done)
    assert read_hidden_fields(done.content.decode(), ">Undo</button>")["role"] == "reviewer"


def test_roles_in_folders_that_end_are_named_and_have_no_undo(browser, desk):
    folder_roles.set_folder_role(
        actor=desk.actor("admin"), namespace="support", folder="refunds", role="author", person="reader", group=None
    )
    admin = browser("admin")
    answer = set_role(admin, "reader", "")
    assert "roles in folders end too, and Undo doesn&#x27;t give them back: refunds." in read_html(answer)
    confirmed = read_hidden_fields(answer.content.decode(), 'name="confirmed"')["confirmed"]
    assert ">Undo</button>" not in set_role(admin, "reader", "", confirmed=confirmed).content.decode()
    assert read_role("reader") == ""


def test_owners_are_added_changed_and_removed_in_their_order(browser, desk):
    groups.make_group(actor=desk.actor("admin"), namespace="support", title="Legal")
    admin = browser("admin")
    set_owners(admin, "*", "admin")
    page = read_html(set_owners(admin, "refunds/*", "reviewer, group:legal, "))
    assert "Owners of refunds/* are now: reviewer, legal." in page
    assert "<td><code>refunds/*</code></td><td>reviewer, group:legal</td>" in page
    set_owners(admin, "*", "reviewer")
    owners = Namespace.objects.get(name="support").owners
    assert owners == [
        {"pattern": "*", "people": ["reviewer"]},
        {"pattern": "refunds/*", "people": ["reviewer"], "groups": ["legal"]},
    ]
    assert "refunds/* has no owners now." in read_html(set_owners(admin, "refunds/*", ""))
    assert [owner["pattern"] for owner in Namespace.objects.get(name="support").owners] == ["*"]


def test_effects_of_new_owners_are_confirmed_first(browser, approved):
    admin = browser("admin")
    answer = set_owners(admin, "refunds/*", "admin")
    assert "<b>Nothing is set yet.</b>" in read_html(answer)
    assert 'value="refunds/*"' in answer.content.decode()
    assert not Namespace.objects.get(name="support").owners
    confirmed = read_hidden_fields(answer.content.decode(), 'name="confirmed"')["confirmed"]
    set_owners(admin, "refunds/*", "admin", confirmed=confirmed)
    assert Namespace.objects.get(name="support").owners == [{"pattern": "refunds/*", "people": ["admin"]}]


@pytest.mark.parametrize(
    ("pattern", "owners", "sentence"),
    [
        ("refunds/*", "nobody", "nobody: not a member of support."),
        ("refunds/*", "group:legal", "legal: not a group of support."),
        ("refunds/*", "", "Name an account or a group: refunds/* has no owners that could be removed."),
        ("", "admin", "This field is required."),
    ],
)
def test_wrong_owners_come_back_with_their_sentence_and_what_was_typed(browser, desk, pattern, owners, sentence):
    answer = set_owners(browser("admin"), pattern, owners)
    assert (answer.status_code, sentence in read_html(answer)) == (422, True)
    assert f'name="owners" value="{owners}"' in answer.content.decode()


def test_members_read_who_owns_what_and_have_no_form(browser, desk):
    set_owners(browser("admin"), "refunds/*", "reviewer")
    page = read_html(browser("reader").get(PAGE))
    assert "<code>refunds/*</code>" in page
    assert 'name="owners"' not in page


def test_people_and_groups_for_the_list_of_owners_are_for_admins(browser, desk):
    groups.make_group(actor=desk.actor("admin"), namespace="support", title="Legal")
    results = browser("admin").get("/n/support/people").json()["results"]
    assert {"name": "legal", "title": "Legal", "group": True} in results
    assert "reviewer" in [row["name"] for row in results]
    assert browser("reviewer").get("/n/support/people").status_code == 403


def test_an_invitation_is_for_a_reader_unless_another_role_is_chosen(desk, browser):
    page = read_html(browser("admin").get("/n/support/members"))
    invitation = page[page.index("Invite somebody") : page.index("Add a member")]
    assert '<option value="reader" selected>' in invitation
    assert page.index("Add a member") < page.index("Owners")
