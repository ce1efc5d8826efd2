"""Pages that are a form: valid input takes effect, invalid input is shown again with the reason."""

import json
from typing import Any

import pytest

from registry.accounts.models import Key, User
from registry.changes.models import ChangeRequest
from registry.namespaces import keys
from registry.namespaces.models import Membership
from registry.templates.label_models import Label, LabelMove
from registry.templates.models import Draft, Template
from tests.frontend.conftest import DOCUMENT, REPLY, SAMPLES, read_html


def test_a_proposal_opens_a_change_request(reply, browser):
    answer = browser("author").post(
        f"/t/{REPLY}/-/propose", {"label": "production", "version": "2", "title": "Quote", "why": "it\r\nnow"}
    )
    change = ChangeRequest.objects.get(version__number=2)
    assert answer["Location"] == f"/changes/{change.number}"
    assert change.message == "Quote\n\nit\nnow"


def test_a_refused_proposal_comes_back_filled_in(reply, browser):
    answer = browser("author").post(
        f"/t/{REPLY}/-/propose", {"label": "production", "version": "1", "title": "Again", "why": "Please, again"}
    )
    assert answer.status_code == 422
    assert "already serves exactly this" in read_html(answer)
    assert 'value="Again"' in read_html(answer)
    assert "Please, again</textarea>" in read_html(answer)


def test_where_nothing_is_protected_nothing_is_proposed(desk, browser):
    desk.save(name="demo/x")
    assert "No label of demo is protected" in read_html(browser("author").get("/t/demo/x/-/propose"))


def test_a_reader_may_not_propose(reply, browser):
    answer = browser("reader").get(f"/t/{REPLY}/-/propose")
    assert answer.status_code == 403
    assert "need the role author" in read_html(answer)


def move(client, **sent):
    return client.post(f"/t/{REPLY}/-/labels", {"do": "move", "label": "staging", "version": "2", **sent})


def test_an_unprotected_label_moves_immediately(reply, browser):
    assert move(browser("author"))["Location"] == f"/t/{REPLY}"
    assert Label.objects.get(name="staging").version.number == 2


def test_an_unprotected_label_moves_with_a_reason_for_its_history(reply, browser):
    client = browser("author")
    assert ">optional</span>" in read_html(client.get(f"/t/{REPLY}/-/labels?label=staging&version=2"))
    move(client, reason="To be tried by the shop\r\n")
    assert LabelMove.objects.get(label="staging").reason == "To be tried by the shop"
    assert "To be tried by the shop" in read_html(client.get(f"/t/{REPLY}/-/labels?label=staging"))


def test_a_label_that_was_moved_meanwhile_stays_where_it_is(reply, browser):
    client = browser("author")
    move(client)
    answer = move(client, version="1")
    assert answer.status_code == 409
    assert "staging points to version 2, where no version was expected." in read_html(answer)


def test_a_label_can_be_taken_off(reply, browser):
    client = browser("author")
    move(client)
    move(client, do="remove", expected="2", reason="No longer used")
    assert not Label.objects.filter(name="staging").exists()
    assert LabelMove.objects.get(how="removed").reason == "No longer used"


def test_a_protected_label_is_not_moved_by_the_form(reply, browser):
    answer = move(browser("admin"), label="production", expected="1")
    assert answer.status_code == 403
    assert "production is protected in support" in read_html(answer)


def test_a_reviewer_rolls_a_protected_label_back_with_a_reason(reply, browser):
    reply.publish(2)
    client = browser("reviewer")
    assert "Roll back to v1</button>" in read_html(client.get(f"/t/{REPLY}/-/labels?label=production"))
    sent = {"do": "roll_back", "label": "production", "version": "1"}
    assert client.post(f"/t/{REPLY}/-/labels", sent).status_code == 422
    client.post(f"/t/{REPLY}/-/labels", {**sent, "reason": "It quotes too much"})
    assert Label.objects.get(name="production").version.number == 1


def test_an_author_is_shown_the_way_a_protected_label_moves(reply, browser):
    page = read_html(browser("author").get(f"/t/{REPLY}/-/labels?label=production"))
    assert "it moves forward by an approved change, and back by a reviewer" in page


def keep(client, text):
    return client.post(f"/t/{REPLY}/-/samples", {"samples": text})


def test_samples_are_kept(reply, browser):
    client = browser("author")
    assert keep(client, json.dumps({"gift": {"question": "It was a gift."}})).status_code == 302
    assert "gift" in read_html(client.get(f"/t/{REPLY}"))


@pytest.mark.parametrize(
    ("text", "reason"),
    [("{not json", ""), ("[1]", "Samples are one JSON object"), ('{"a": {"question": 7}}', "question")],
)
def test_wrong_samples_come_back_with_the_reason(reply, browser, text, reason):
    answer = keep(browser("author"), text)
    assert answer.status_code == 422
    assert reason in read_html(answer)
    assert text.replace('"', "&quot;") in read_html(answer)


def test_a_reader_reads_samples_and_may_not_change_them(reply, browser):
    assert "readonly" in read_html(browser("reader").get(f"/t/{REPLY}/-/samples"))
    assert keep(browser("reader"), "{}").status_code == 403


def test_a_key_is_shown_once_and_only_to_admins(reply, browser):
    client = browser("admin")
    sent = {"name": "chat", "scope": "read", "person": "admin", "days": "90"}
    answer = client.post("/n/support/keys", sent)
    assert answer.status_code == 201
    secret = answer.context["issued"].secret
    assert secret in read_html(answer)
    assert secret not in read_html(client.get("/n/support/keys"))
    assert browser("author").get("/n/support/keys").status_code == 403


def test_a_key_is_revoked(reply, browser):
    client = browser("admin")
    client.post("/n/support/keys", {"name": "chat", "scope": "read", "person": "admin", "days": "0"})
    key = Key.objects.get()
    client.post("/n/support/keys", {"do": "revoke", "key": key.id, "reason": "Lost"})
    key.refresh_from_db()
    assert key.revoked_at is not None


def test_a_revocation_set_for_later_is_cancelled_where_it_was_set(reply, browser, desk):
    facts: dict[str, Any] = {"namespace": "support", "name": "chat", "scope": "read", "person": "author"}
    key = keys.issue_key(actor=desk.actor("admin"), **facts).key
    client = browser("author")
    client.post("/account/keys", {"do": "revoke", "key": key.id, "after": "1", "reason": "Lost"})
    page = read_html(client.get("/account/keys"))
    assert "author revokes it then" in page
    assert "Cancel revocation" in page
    assert "Cancel revocation" in read_html(client.get("/account"))
    answer = client.post("/account/keys", {"do": "keep", "key": key.id}, follow=True)
    assert "The revocation is cancelled. The key of chat has no end." in read_html(answer)
    assert "Cancel revocation" not in read_html(answer)
    client.post("/account/keys", {"do": "revoke", "key": key.id, "after": "24", "reason": "Lost"})
    browser("admin").post("/n/support/keys", {"do": "keep", "key": key.id})
    key.refresh_from_db()
    assert key.expires_at is None


def test_a_key_above_its_persons_role_is_refused_at_the_field(reply, browser):
    answer = browser("admin").post(
        "/n/support/keys", {"name": "chat", "scope": "write", "person": "reader", "days": "0"}
    )
    assert answer.status_code == 422
    assert "reader is reader, so a key of theirs can&#x27;t write." in read_html(answer).lower()


def test_an_admin_gives_and_takes_roles(reply, browser):
    client = browser("admin")
    client.post("/n/support/members", {"username": "outsider", "role": "author"})
    assert Membership.objects.get(person__username="outsider", namespace__name="support").role == "author"
    client.post("/n/support/members", {"username": "outsider", "role": ""})
    assert not Membership.objects.filter(person__username="outsider", namespace__name="support").exists()


def test_the_last_admin_stays(reply, browser):
    answer = browser("admin").post("/n/support/members", {"username": "admin", "role": "reader"})
    assert answer.status_code == 409
    assert "last admin" in read_html(answer)


def test_a_reader_sees_members_without_buttons(reply, browser):
    page = read_html(browser("reader").get("/n/support/members"))
    assert "<b>reviewer</b>" in page
    assert "Add a member" not in page


def begin(client, path, **sent):
    return client.post("/new", {"namespace": "demo", "path": path, "start": "parts", **sent})


@pytest.mark.parametrize("start", ["blank", "parts", "sort", "extract", "text", "score", "shaped", "prompter"])
def test_a_new_template_begins_as_a_draft_in_the_editor(desk, browser, start):
    assert begin(browser("author"), f"tests/{start}", start=start)["Location"] == f"/t/demo/tests/{start}/-/edit"
    assert Draft.objects.get().path == f"tests/{start}"


@pytest.mark.parametrize("path", ["a//b", "con", "../etc", "—"])
def test_an_invalid_name_is_refused_at_its_field(desk, browser, path):
    answer = begin(browser("author"), path)
    assert answer.status_code in (404, 422)
    assert not Draft.objects.exists()


@pytest.mark.parametrize(
    ("name", "path"), [("Late Refund Reply", "late-refund-reply"), ("Refunds/Über ß", "refunds/uber")]
)
def test_an_address_is_made_from_the_name(desk, browser, name, path):
    assert begin(browser("author"), name)["Location"] == f"/t/demo/{path}/-/edit"


def test_the_address_is_shown_while_the_name_is_typed(reply, browser):
    headers = {"HX-Request": "true", "HX-Target": "address"}
    client = browser("author")
    fresh = read_html(client.get("/new?namespace=support&path=Late Reply", headers=headers))
    assert '<span class="dirname">support / </span><b>late-reply</b>' in fresh
    assert "available" in fresh
    assert "<html" not in fresh
    taken = read_html(client.get("/new?namespace=support&path=Refunds/Reply", headers=headers))
    assert "There is a support/refunds/reply already. Try refunds/reply-2." in taken
    unnamed = read_html(client.get("/new", headers=headers))
    assert "Enter a name to see the address" in unnamed
    assert "available" not in unnamed


def test_a_page_without_a_name_shows_no_address(reply, browser):
    page = read_html(browser("author").get("/new"))
    assert "Enter a name to see the address" in page
    assert "available" not in page


def test_a_prompt_is_pasted_on_the_page_of_a_new_template_and_shown_as_what_it_becomes(reply, browser):
    client = browser("author")
    page = read_html(client.get("/new?in=support/refunds"))
    assert '<form method="post" action="/t/import"' in page
    assert "Paste a prompt you already have" in page
    for field in ('name="namespace" value="support"', 'name="folder" value="refunds"', 'name="do" value="preview"'):
        assert field in page
    assert 'href="/t/import?in=support/refunds"' in page
    pasted = {"namespace": "support", "folder": "refunds", "text": "# Late reply\n\nDear {name}.", "do": "preview"}
    shown = read_html(client.post("/t/import", pasted))
    assert "Dear {name}.</textarea>" in shown
    assert 'name="name" value="Late reply"' in shown
    assert "support / refunds / </span><b>late-reply</b>" in shown
    assert "Create draft from plain text" in shown


def test_a_name_that_is_taken_is_refused_and_stays_in_the_form(reply, browser):
    answer = begin(browser("author"), "refunds/reply", namespace="support")
    assert "There is a support/refunds/reply already." in read_html(answer)
    assert 'value="refunds/reply"' in read_html(answer)


def test_a_draft_that_is_there_already_is_not_overwritten(desk, browser):
    client = browser("author")
    begin(client, "x")
    assert begin(client, "x", start="text").status_code == 409
    assert "format: parts" in Draft.objects.get().document


def test_a_copy_has_the_same_digest_and_remembers_its_origin(reply, browser):
    client = browser("author")
    sent = {"namespace": "demo", "path": "copied", "start": "copy", "ref": "1"}
    assert client.post(f"/t/{REPLY}/-/copy", sent)["Location"] == "/t/demo/copied"
    copied = Template.objects.get(name="demo/copied")
    assert copied.copied_from == f"{REPLY}@1"
    assert copied.latest.document == DOCUMENT
    assert set(copied.sample_sets.get().samples) == set(SAMPLES)
    assert "copied from" in read_html(client.get("/t/demo/copied"))


def test_the_first_message_is_in_the_language_of_the_page(desk, browser):
    fields = {"namespace": "support", "path": "neu", "start": "blank"}
    browser("author").post("/new", fields, headers={"accept-language": "de"})
    assert Draft.objects.get().message == "Erste Version"


def test_a_person_without_a_writing_role_is_told_whom_to_ask(reply, browser, settings):
    settings.PROMPTUARY_NAMESPACE_CREATORS = "admins"
    for address in ("/new", "/t/import", "/d/new", f"/t/{REPLY}/-/copy"):
        answer = browser("reader").get(address)
        assert answer.status_code == 403
        page = read_html(answer)
        assert "You are not an author in any namespace yet. Ask one of the admins to make you one: " in page
        assert "admin" in page.partition("make you one: ")[2].partition(".")[0]
        assert "New namespace in the menu of your account." not in page


def test_who_writes_nowhere_but_may_create_a_namespace_is_told_how(reply, browser, settings):
    settings.PROMPTUARY_NAMESPACE_CREATORS = "everyone"
    page = read_html(browser("reader").get("/new"))
    assert "You can create one: choose New namespace in the menu of your account." in page


def test_without_any_namespace_the_command_is_named(db, client, settings):
    settings.PROMPTUARY_NAMESPACE_CREATORS = "admins"
    client.force_login(User.objects.create(username="first"))
    page = read_html(client.get("/new"))
    assert (
        "There is no namespace yet. Whoever runs the server creates the first, with manage.py createnamespace." in page
    )
    assert "manage.py createnamespace support --admin first --protect production" in read_html(client.get("/"))
