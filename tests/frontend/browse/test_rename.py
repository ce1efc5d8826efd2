"""Renaming a template or a folder on its page, and the page of the services that use each name."""

import re
from datetime import UTC, datetime

import pytest

from registry.changes import rules
from registry.namespaces import keys
from registry.templates import rename
from registry.templates.models import Template, Version
from registry.usage.models import Fetch
from tests.frontend.conftest import REPLY, read_html

ADDRESS, NAME = f"/t/{REPLY}/-/rename", "support/answers/reply"


@pytest.fixture
def fetched(reply):
    def fetch(former_name=""):
        key = keys.issue_key(actor=reply.actor("admin"), namespace="support", name="checkout", scope="read").key
        now, version = datetime.now(UTC), Version.objects.get(template__name=REPLY, number=1)
        facts = {"day": now.date(), "count": 3, "last_at": now, "former_name": former_name}
        return Fetch.objects.create(key=key, version=version, ref="production", **facts)

    return fetch


def test_the_form_says_who_fetches_it_and_the_new_page_is_shown_after(reply, fetched, browser):
    fetched()
    client = browser("admin")
    page = read_html(client.get(ADDRESS))
    assert "<b>checkout</b> asks for production, gets v1" in page
    answer = client.post(ADDRESS, {"to": f" {NAME} ", "reason": "Clearer"}, follow=True)
    assert answer.redirect_chain == [(f"/t/{NAME}", 302)]
    assert f"{REPLY} is {NAME} now." in read_html(answer)
    assert Template.objects.filter(name=NAME).exists()


def test_a_fault_is_shown_next_to_the_field_and_the_typed_text_stays(reply, browser):
    client = browser("admin")
    answer = client.post(ADDRESS, {"to": "support/Reply", "reason": "Why not"})
    assert answer.status_code == 422
    page = read_html(answer)
    assert "lower-case letters, digits and hyphens, like late-parcel-apology" in page
    assert 'value="support/Reply"' in page
    assert "Why not</textarea>" in page
    reply.save(name="support/taken")
    answer = client.post(ADDRESS, {"to": "support/taken"})
    assert (answer.status_code, "Not renamed." in read_html(answer)) == (409, True)


def test_a_former_name_s_page_leads_to_the_template_with_its_query(reply, browser):
    rename.rename_template(actor=reply.actor("admin"), name=REPLY, to=NAME)
    answer = browser("reader").get(f"/t/{REPLY}?ref=1")
    assert (answer.status_code, answer["Location"]) == (302, f"/t/{NAME}?ref=1")
    assert browser("outsider").get(f"/t/{REPLY}").status_code == 404
    assert browser("reader").get(f"/t/{REPLY}/-/versions").status_code == 200


def test_a_folder_is_renamed_with_all_that_it_holds(reply, browser):
    client = browser("admin")
    assert REPLY in read_html(client.get("/folders/support/refunds/rename"))
    answer = client.post("/folders/support/refunds/rename", {"to": "support/answers"}, follow=True)
    assert answer.redirect_chain == [("/t/support/answers/", 302)]
    assert client.get("/folders/support/refunds/rename").status_code == 404
    former = "/t/support/refunds/"
    assert client.get(former, follow=True).redirect_chain == [("/t/support/answers/", 302)]
    assert browser("outsider").get(former).status_code == 404
    refused = client.post("/folders/support/answers/rename", {"to": "support/answers/inner"})
    assert (refused.status_code, "is inside support/answers" in read_html(refused)) == (422, True)


def test_admins_find_the_form_and_others_do_not(reply, browser):
    assert ADDRESS in read_html(browser("admin").get(f"/t/{REPLY}"))
    assert "/folders/support/refunds/rename" in read_html(browser("admin").get("/t/support/refunds/"))
    assert ADDRESS not in read_html(browser("author").get(f"/t/{REPLY}"))
    assert "/folders/" not in read_html(browser("author").get("/t/support/refunds/"))
    assert "/folders/" not in read_html(browser("admin").get("/t/support/"))


def test_the_page_of_fetches_says_who_still_asks_by_a_former_name(reply, fetched, browser):
    rename.rename_template(actor=reply.actor("admin"), name=REPLY, to="support/second")
    rename.rename_template(actor=reply.actor("admin"), name="support/second", to=NAME)
    Template.objects.filter(name=NAME).update(name=REPLY)
    row = fetched(REPLY)
    Template.objects.filter(name=REPLY).update(name=NAME)
    page = read_html(browser("reader").get(f"/t/{NAME}/-/fetches"))
    assert f">by a former name: {REPLY}</div>" in page
    Fetch.objects.create(key=row.key, version=row.version, ref=row.ref, day=row.day, count=1, last_at=row.last_at)
    page = read_html(browser("reader").get(f"/t/{NAME}/-/fetches"))
    assert (page.count("<b>checkout</b>"), f">also by a former name: {REPLY}</div>" in page) == (1, True)
    assert f"also by a former name: {REPLY}" in read_html(browser("admin").get(f"/t/{NAME}/-/rename"))
    assert "redirects here; still fetched by checkout" in page
    assert "redirects here; no service fetched it in the last 30 days" in page


def test_an_author_is_refused_and_the_sentence_names_renaming(reply, browser):
    refused = browser("author").get(ADDRESS)
    assert refused.status_code == 403
    assert "You need the role admin to rename templates in support; author is author." in read_html(refused)
    refused = browser("author").get("/folders/support/refunds/rename")
    assert "You need the role admin to rename folders in support; author is author." in read_html(refused)


def test_effects_on_the_rules_are_confirmed_before_renaming(reply, browser):
    owners = [{"pattern": "refunds/*", "people": ["reviewer"]}]
    rules.set_rules(actor=reply.actor("admin"), namespace="support", owners=owners)
    client, sent = browser("admin"), {"to": NAME, "reason": "Clearer"}
    response = client.post(ADDRESS, sent)
    page = read_html(response)
    assert (response.status_code, "This changes with the new name:" in page) == (409, True)
    assert "refunds/reply will have no owners: reviewer will not be needed to approve." in page
    assert "send it again" not in page
    [seal] = re.findall(r'name="confirmed" value="(\w+)"', page)
    assert client.post(ADDRESS, {**sent, "confirmed": seal}).status_code == 302
    assert Template.objects.filter(name=NAME).exists()
