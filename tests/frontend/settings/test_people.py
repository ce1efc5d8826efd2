"""The page of people: roles, sign-in, and the panels before drastic actions."""

import re
from datetime import timedelta

import pytest
from allauth.mfa.models import Authenticator
from django.test import Client

from registry.accounts.actor import build_operator_actor
from registry.accounts.models import User
from registry.changes import decisions, rules, schedules
from registry.invitations.models import Invitation
from registry.journal import log
from registry.namespaces import groups, keys, services
from registry.namespaces.models import Namespace
from tests.frontend.accounts.test_sign_in import sign_in
from tests.frontend.conftest import read_html
from tests.support.sessions import manage_accounts


@pytest.fixture
def boss(desk, browser):
    """The admin's browser; the operator made the admin one of the installation."""
    manage_accounts(desk.people["admin"])
    return browser("admin")


def test_people_are_listed_with_roles_and_sign_in(boss):
    page = read_html(boss.get("/people"))
    assert "<b>author</b> in demo and support" in page
    assert "No access yet" not in page
    assert "asleep" not in page
    assert "asleep" in read_html(boss.get("/people?show=all"))


def test_a_role_is_set_in_the_opened_row(boss):
    page = read_html(boss.get("/people?person=reader"))
    assert 'aria-label="Filter people"' in page
    assert '<label for="id_role_other">other</label>' in page
    sent = {"do": "role", "username": "reader", "namespace": "support", "role": "author"}
    assert "reader is author in support now." in read_html(boss.post("/people", sent, follow=True))
    sent = {"do": "role", "username": "admin", "namespace": "support", "role": "reader"}
    refused = boss.post("/people", sent)
    assert (refused.status_code, "last admin of support" in read_html(refused)) == (409, True)


def test_a_person_is_invited_to_the_chosen_namespace(boss):
    assert "Invite somebody" in read_html(boss.get("/people"))
    answer = boss.post("/people", {"do": "invite", "email": "", "namespace": "support", "role": "author"})
    assert (answer.status_code, answer["Cache-Control"]) == (201, "no-store")
    assert "Whoever opens the link first becomes author of support." in read_html(answer)
    refused = boss.post("/people", {"do": "invite", "email": "no address", "namespace": "support", "role": "author"})
    assert refused.status_code == 422
    assert 'value="no address"' in read_html(refused)
    refused = boss.post("/people", {"do": "invite", "email": "", "namespace": "elsewhere", "role": "author"})
    assert refused.status_code == 422


def test_several_addresses_are_invited_and_each_link_is_shown_once(boss):
    sent = {"do": "invite", "email": "one@example.org, two@example.org;three@example.org\tfour@example.org"}
    page = read_html(boss.post("/people", {**sent, "namespace": "support", "role": "author"}))
    assert "4 people are invited" in page
    assert page.count("/invitations/") == 4
    again = boss.post("/people", {**sent, "email": "one@example.org five", "namespace": "support", "role": "author"})
    assert again.status_code == 422
    assert "Not a mail address: five." in read_html(again)
    assert 'value="one@example.org five"' in read_html(again)


@pytest.mark.parametrize("path", ["/people", "/n/support/members"])
def test_each_address_has_its_line_and_members_are_left_as_they_are(boss, path):
    User.objects.filter(username="reviewer").update(email="reviewer@example.org")
    User.objects.create(username="fresh", email="fresh@example.org")
    sent = {"do": "invite", "namespace": "support", "role": "author"}
    emails = "reviewer@example.org, fresh@example.org, legal@example.org"
    answer = boss.post(path, {**sent, "email": emails})
    page = read_html(answer)
    assert (answer.status_code, answer["Cache-Control"]) == (201, "no-store")
    assert "reviewer@example.org is the address of reviewer, who is reviewer of support already." in page
    assert "fresh@example.org: fresh has an account already, and is author of support now." in page
    assert "1 person is invited" in page
    assert page.count("/invitations/") == 1
    again = boss.post(path, {**sent, "email": "legal@example.org reviewer@example.org"})
    page = read_html(again)
    assert again.status_code == 409
    assert "legal@example.org has an open invitation already" in page
    assert "reviewer@example.org is the address of reviewer" in page
    assert 'value="legal@example.org reviewer@example.org"' in page


def test_an_account_that_gets_the_role_immediately_needs_no_link(boss):
    User.objects.create(username="fresh", email="fresh@example.org")
    sent = {"do": "invite", "email": "fresh@example.org", "namespace": "support", "role": "author"}
    page = read_html(boss.post("/people", sent))
    assert "Nobody needs a link" in page
    assert "is author of support now" in page
    assert "/invitations/" not in page


def test_invited_people_are_listed_until_the_invitation_is_withdrawn(boss):
    sent = {"do": "invite", "email": "legal@example.org", "namespace": "support", "role": "reviewer"}
    boss.post("/people", sent)
    first = Invitation.objects.get()
    page = read_html(boss.get("/people"))
    assert "5 people, 1 invited" in page
    assert "invited by admin" in page
    assert "New link" in page
    assert "legal@example.org" in read_html(boss.get("/people?q=legal"))
    assert "legal@example.org" not in read_html(boss.get("/people?q=author"))
    again = boss.post("/people", {"do": "again", "invitation": first.id})
    assert (again.status_code, again["Cache-Control"]) == (201, "no-store")
    second = Invitation.objects.get(ended_at=None)
    assert second.id != first.id
    ended = read_html(boss.post("/people", {"do": "end", "invitation": second.id}, follow=True))
    assert "The invitation is withdrawn." in ended
    assert "legal@example.org" not in ended


def test_an_unknown_invitation_is_refused_and_other_namespaces_are_not_listed(boss, browser):
    assert boss.post("/people", {"do": "again", "invitation": "nothing"}).status_code == 404
    assert boss.post("/people", {"do": "end", "invitation": "nothing"}).status_code == 404
    boss.post("/people", {"do": "invite", "email": "legal@example.org", "namespace": "support", "role": "author"})
    assert "legal@example.org" not in read_html(browser("outsider").get("/people"))


def test_an_admin_of_a_namespace_sees_its_people_only_and_no_acts(desk, browser):
    page = read_html(browser("outsider").get("/people?person=outsider"))
    assert "1 person in your namespaces" in page
    assert "reviewer" not in page.partition("<tbody>")[2].partition("<td colspan")[0]
    refused = browser("reader").get("/people")
    assert (refused.status_code, "is for admins" in read_html(refused)) == (403, True)


def test_deactivating_says_first_what_follows_then_shuts_the_person_out(desk, reply, boss):
    keys.issue_key(actor=desk.actor("admin"), namespace="support", name="chat", scope="read", person="author")
    change = reply.propose(2)
    schedules.schedule_change(actor=desk.actor("author"), number=change.number, at=log.now() + timedelta(hours=2))
    author = Client()
    sign_in(author)
    panel = read_html(boss.get("/people/author/deactivate"))
    assert "<b>chat</b> in support stops working. It fetched nothing in the last 30 days." in panel
    assert f'<a href="/changes/{change.number}">change {change.number}</a>' in panel
    assert f"Change {change.number}</a> won't go live at its time</b>, which author chose." in panel
    page = read_html(boss.post("/people/author/deactivate", follow=True))
    assert "author is deactivated" in page
    assert "deactivated author" in page
    assert author.get("/").status_code == 302
    assert sign_in(Client()).status_code == 422
    page = read_html(boss.post("/people", {"do": "reactivate", "username": "author"}, follow=True))
    assert "author can sign in again." in page
    assert sign_in(Client()).status_code == 302


def test_deactivating_names_the_changes_that_lose_an_approval_and_so_do_their_pages(reply, boss, browser):
    rules.set_rules(actor=reply.actor("admin"), namespace="support", approvals=2)
    change = reply.propose(2)
    decisions.decide_on_change(
        actor=reply.actor("reviewer"), number=change.number, decision="approve", digest=change.version.digest
    )
    panel = read_html(boss.get("/people/reviewer/deactivate"))
    named = panel.partition("Their approval of this change won't count any more:")[2]
    assert f'<a href="/changes/{change.number}">change {change.number}</a>' in named.partition("</li>")[0]
    body = boss.get("/api/v1/people/reviewer/deactivation").json()
    assert body["approvals"] == [change.number]
    assert "won't count any more" not in read_html(boss.get("/people/reader/deactivate"))
    boss.post("/people/reviewer/deactivate")
    page = read_html(browser("author").get(f"/changes/{change.number}"))
    assert "Does not count: the account of reviewer is deactivated." in page


def test_the_last_admin_can_not_be_deactivated_and_the_panel_says_why(boss):
    panel = read_html(boss.get("/people/outsider/deactivate"))
    assert "other needs another admin first." in panel
    assert '<button class="button button-primary">Deactivate' not in panel
    refused = boss.post("/people/outsider/deactivate")
    assert (refused.status_code, "other needs another admin first" in read_html(refused)) == (409, True)
    assert User.objects.get(username="outsider").is_active


@pytest.mark.parametrize(
    ("kinds", "english", "german"),
    [
        ({"totp"}, "On, app", "An, App"),
        ({"webauthn"}, "On, passkey", "An, Passkey"),
        ({"totp", "webauthn"}, "On, app and passkey", "An, App und Passkey"),
    ],
)
def test_the_list_says_which_second_step_is_on(desk, boss, kinds, english, german):
    for kind in (*kinds, Authenticator.Type.RECOVERY_CODES):
        Authenticator.objects.create(user=desk.people["author"], type=kind, data={})
    assert re.search(rf"{english} *</span>", read_html(boss.get("/people?q=author")))
    page = read_html(boss.get("/people?q=author", headers={"Accept-Language": "de"}))
    assert re.search(rf"{german} *</span>", page)


def test_two_step_sign_in_is_reset(desk, boss):
    Authenticator.objects.create(user=desk.people["author"], type=Authenticator.Type.TOTP, data={})
    assert "can't approve changes that you contributed to" in read_html(boss.get("/people/author/reset-sign-in"))
    page = read_html(boss.post("/people/author/reset-sign-in", follow=True))
    assert "author signs in without two-step sign-in now" in page
    assert "reset the two-step sign-in of author" in page
    assert boss.post("/people/author/reset-sign-in").status_code == 409


def test_a_person_is_signed_out_everywhere(boss):
    author = Client()
    sign_in(author)
    assert "Signed in on 1 device." in read_html(boss.get("/people?person=author"))
    boss.post("/people", {"do": "end_sessions", "username": "author"})
    assert author.get("/").status_code == 302


def test_an_unknown_act_is_refused(boss):
    assert boss.post("/people", {"do": "delete", "username": "author"}).status_code == 422
    assert boss.get("/people/nobody/deactivate").status_code == 404


def list_tabs(page):
    """The addresses that the tabs of the page lead to."""
    listed = page.content.decode().partition('aria-label="People and access">')[2].partition("</nav>")[0]
    return re.findall(r'href="([^"]+)"', listed)


def test_tabs_lead_to_all_that_says_who_may_do_what(boss):
    page = boss.get("/people?of=support")
    tabs = list_tabs(page)
    pages = [f"/n/support/{name}" for name in ("groups", "keys", "rules", "webhooks", "audit")]
    assert set(pages) < set(tabs)
    assert {boss.get(address).status_code for address in tabs} == {200}
    assert "<option selected>support</option>" in read_html(page)


def test_tabs_lead_to_one_namespace_without_a_choice_where_there_is_one(browser):
    page = browser("outsider").get("/people?of=support")
    assert "/n/other/groups" in list_tabs(page)
    assert 'name="of"' not in page.content.decode()


def test_every_namespace_that_can_be_chosen_has_pages_for_its_tabs(boss):
    choice = read_html(boss.get("/people")).partition('name="of"')[2].partition("</select>")[0]
    names = re.findall(r"<option[^>]*>(\w+)</option>", choice)
    assert names
    for name in names:
        assert {boss.get(address).status_code for address in list_tabs(boss.get(f"/people?of={name}"))} == {200}


def test_groups_and_keys_are_below_the_people(desk, boss):
    admin = desk.actor("admin")
    groups.make_group(actor=admin, namespace="support", title="Refund owners")
    for name in ("chat-service", "old-service"):
        key = keys.issue_key(actor=admin, namespace="support", name=name, verbs=["fetch", "roll_back"]).key
    keys.revoke_key(actor=admin, key_id=key.id)
    page = read_html(boss.get("/people?of=support"))
    below = page[page.index('class="people-access"') :]
    assert "<b>Refund owners</b>" in below
    assert "<b>chat-service</b>" in below
    assert "fetch, roll labels back" in below
    assert "old-service" not in below, "it was revoked"
    assert 'href="/n/support/keys#id_name">New key' in below
    counts = re.findall(r'(Groups|Service keys) <span class="count">(\d+)', page)
    assert counts == [("Groups", "1"), ("Service keys", "1")]


def test_keys_of_every_namespace_that_the_reader_manages_are_listed_with_their_namespace(desk, boss):
    admin = desk.actor("admin")
    services.create_namespace(actor=admin, name="billing")
    for namespace in ("support", "demo"):
        keys.issue_key(actor=admin, namespace=namespace, name=f"{namespace}-service", scope="read")
    keys.issue_key(actor=desk.actor("outsider"), namespace="other", name="hidden-service", scope="read")
    page = read_html(boss.get("/people?of=billing"))
    below = page[page.index('id="people-keys"') :]
    assert re.findall(r'href="/n/(\w+)/keys\?can=\w+#can" ?><b>([\w-]+)</b>', below) == [
        ("demo", "demo-service"),
        ("support", "support-service"),
    ]
    assert '<td class="aside">support</td>' in below
    assert "hidden-service" not in page
    assert re.search(r'Service keys <span class="count">(\d+)', page)[1] == "2", "as many as the list shows"


def test_the_tab_of_groups_counts_those_of_the_list(desk, boss):
    for namespace in ("support", "demo"):
        groups.make_group(actor=desk.actor("admin"), namespace=namespace, title=f"Owners of {namespace}")
    for namespace in ("support", "demo"):
        page = read_html(boss.get(f"/people?of={namespace}"))
        listed = page[page.index('class="people-access"') :].count("<b>Owners of ")
        assert re.search(r'Groups <span class="count">(\d+)', page)[1] == str(listed) == "2"


def test_keys_of_a_namespace_that_asks_for_two_step_sign_in_are_not_listed_without_it(desk, boss):
    keys.issue_key(actor=desk.actor("admin"), namespace="support", name="chat-service", scope="read")
    assert "chat-service" in boss.get("/people").content.decode()
    Namespace.objects.filter(name="support").update(two_step_required=True)
    assert "chat-service" not in boss.get("/people").content.decode()


def test_keys_are_not_listed_for_who_manages_no_namespace(desk, browser):
    keys.issue_key(actor=desk.actor("admin"), namespace="support", name="chat-service", scope="read")
    answer = browser("author").get("/people?of=support")
    assert "chat-service" not in answer.content.decode()


def test_a_long_list_is_cut_with_a_link_to_all_of_it_and_keeps_the_opened_person(boss):
    User.objects.bulk_create(User(username=f"person-{number:02}") for number in range(30))
    page = read_html(boss.get("/people"))
    assert "person-05" in page
    assert "person-29" not in page
    total = int(re.search(r"Show all (\d+) people", page)[1])
    assert f"{total} people" in page
    assert "person-29" in read_html(boss.get("/people?rows=all"))
    assert "person-29" in read_html(boss.get("/people?q=person-29")), "a filter looks at all"
    assert "person-29" in read_html(boss.get("/people?person=person-29"))
    assert "Show all" not in read_html(boss.get("/people?rows=all"))


def test_a_person_without_a_role_is_given_access_in_the_opened_row(boss):
    User.objects.create(username="newcomer")
    page = read_html(boss.get("/people"))
    link = re.search(
        r'<a class="button button-small" href="([^"]+)">\s*Give access<span class="visually-hidden"> to newcomer', page
    )
    assert 'id="id_role_support"' in read_html(boss.get(link.group(1).replace("&amp;", "&")))
    sent = {"do": "role", "username": "newcomer", "namespace": "support", "role": "reader"}
    boss.post("/people", sent)
    assert "Give access" not in read_html(boss.get("/people"))


def test_a_person_limited_by_missing_two_step_sign_in_is_reminded(boss, desk, browser):
    assert "Remind<span" not in read_html(boss.get("/people"))
    rules.set_rules(actor=build_operator_actor(), namespace="support", two_step_required=True)
    page = read_html(boss.get("/people"))
    assert "Off, required in support" in page
    assert 'Remind<span class="visually-hidden"> author of two-step sign-in' in page
    assert 'Remind<span class="visually-hidden"> reader' not in page, "readers need none"
    sent = {"do": "remind", "username": "author"}
    assert "author is asked to turn on two-step sign-in." in read_html(boss.post("/people", sent, follow=True))
    refused = boss.post("/people", sent)
    assert (refused.status_code, "less than a day ago" in read_html(refused)) == (409, True)
    home = read_html(browser("author").get("/"))
    assert "admin asks you to turn on two-step sign-in. Until then you can only read in support." in home
