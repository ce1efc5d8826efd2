"""Favourites, recently viewed templates, saved views, and tagging several templates together."""

import re
import secrets

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import DESKTOP, PHONE, make_four_templates

REPLY, POLICY = "support/refunds/reply", "support/policy"


def test_viewed_and_favourite_templates_are_at_home_and_in_the_palette(visit):
    page = visit.open("reviewer", f"/t/{POLICY}")
    page.goto(f"/t/{REPLY}")
    page.get_by_role("button", name="Favourite").click()
    expect(page.get_by_role("button", name="Favourite")).to_have_attribute("aria-pressed", "true")
    page.goto("/")
    recent = page.get_by_role("region", name="Recently viewed")
    expect(recent.get_by_role("link")).to_have_text([REPLY, POLICY])
    expect(page.get_by_role("region", name="Favourites").get_by_role("link", name=REPLY)).to_be_visible()
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Find or jump to").fill("policy")
    expect(page.get_by_role("group", name="Recent").get_by_role("option")).to_have_text([re.compile(POLICY)])
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/t/{POLICY}")


def test_a_search_is_saved_and_opened_again(visit):
    page = visit.open("reader", "/t/?q=refund")
    page.get_by_text("Save this view").click()
    page.get_by_label("Name", exact=True).fill("About refunds")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("The view About refunds is saved.")
    page.goto("/t/demo/")
    page.get_by_role("navigation", name="Folders").get_by_role("link", name="About refunds").click()
    page.wait_for_url("**/t/?q=refund")
    page.get_by_role("link", name="Saved views").click()
    page.get_by_role("button", name="Remove About refunds").click()
    expect(page.get_by_text("No saved views.")).to_be_visible()


def test_ticked_templates_are_tagged_together_after_a_search(visit, server):
    make_four_templates(server, "tagged")
    page = visit.open("author", "/t/tagged/")
    bar = page.locator("[data-bulk-bar]")
    expect(bar).to_be_hidden()
    page.get_by_label("Search templates").fill("policy")
    page.wait_for_url("**/t/tagged/?q=policy")  # the list that htmx brought
    page.get_by_role("checkbox", name="Select tagged/policy").check()
    expect(bar).to_contain_text("1 template selected")
    page.get_by_role("button", name="Tags", exact=True).click()
    page.get_by_label("Add tags").fill("checked-today")
    page.get_by_role("button", name="Save new versions").click()
    expect(page.get_by_role("status")).to_contain_text("1 template got a new version")
    page.goto("/t/?tag=checked-today")
    expect(page.locator("[data-row]")).to_have_count(1)


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_long_name_in_the_list_loses_its_folders_and_never_its_last_segment(visit, viewport):
    basename = f"apology-for-late-parcel-with-refund-offer-{secrets.token_hex(3)}"
    name = f"demo/customer-communications-europe/delivery-exceptions-and-late-parcels/{basename}"
    page = visit.open("author", f"/t/{name}/-/edit", viewport=viewport)
    token = page.locator("input[name=csrfmiddlewaretoken]").first.input_value()
    fields = {"csrfmiddlewaretoken": token, "document": "- name: a\n  content: Hi\n", "base": "", "do": "save"}
    saved = page.request.post(f"/t/{name}/-/edit", form=fields, headers={"Referer": page.url})
    assert saved.ok
    page.reload()
    shown, head = page.locator("h1.path b").bounding_box(), page.locator("h1.path").bounding_box()
    assert shown["x"] + shown["width"] <= viewport["width"]
    assert head["height"] <= (24 if viewport == DESKTOP else 96)
    page.goto(f"/t/?q={basename}")
    row = page.locator(".list-name a", has_text=basename)
    link, shown = row.bounding_box(), row.locator("b").bounding_box()
    folder = row.locator(".dirname")
    assert shown["x"] >= link["x"]
    assert shown["x"] + shown["width"] <= link["x"] + link["width"] + 1
    assert shown["y"] + shown["height"] <= link["y"] + link["height"] + 1
    assert folder.evaluate("folder => folder.scrollWidth > folder.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]


def test_a_short_last_segment_behind_long_folders_stays_on_one_line(visit):
    basename = f"short-leaf-{secrets.token_hex(2)}"
    name = f"demo/customer-communications-europe/delivery-exceptions-and-late-parcels/{basename}"
    page = visit.open("author", f"/t/{name}/-/edit")
    token = page.locator("input[name=csrfmiddlewaretoken]").first.input_value()
    fields = {"csrfmiddlewaretoken": token, "document": "- name: a\n  content: Hi\n", "base": "", "do": "save"}
    assert page.request.post(f"/t/{name}/-/edit", form=fields, headers={"Referer": page.url}).ok
    page.goto("/t/?q=" + basename)
    shown = page.locator(".list-name a", has_text=basename).locator("b").bounding_box()
    assert shown["height"] < 30
