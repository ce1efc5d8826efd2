"""Several drafts of one template in the editor."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import DESKTOP, PHONE, Visit
from tests.support.accessibility import list_barriers
from tests.support.editor_page import EditorPage

NAME = "support/refunds/reply"


def test_two_drafts_are_written_side_by_side(visit: Visit):
    page = visit.open("author", f"/t/{NAME}/-/edit")
    desk = EditorPage(page).ready()
    desk.replace("description: ", "description: Half a thought. ")
    expect(page.locator("[data-draft-state]")).to_contain_text("saved")
    page.locator(".draft-menu summary").click()
    page.get_by_role("link", name="Start another draft").click()
    page.get_by_label("Name", exact=True).fill("Shorter answers")
    page.get_by_label("Start from").select_option("draft")
    page.get_by_role("button", name="Start the draft").click()
    desk = EditorPage(page).ready()
    desk.expect_text("Half a thought.")
    desk.replace("Half a thought.", "Another thought.")
    expect(page.locator("[data-draft-state]")).to_contain_text("saved")
    page.locator(".draft-menu summary").click()
    page.get_by_role("link", name="Draft saved").click()
    desk = EditorPage(page).ready()
    desk.expect_text("Half a thought.")
    page.goto(f"/t/{NAME}/-/diff?from=draft&to=draft:Shorter%20answers")
    expect(page.locator("main")).to_contain_text("Another thought.")
    page.goto(f"/t/{NAME}/-/drafts")
    for title in ("Shorter answers", "Draft"):
        discard = page.get_by_role("button", name=f"Discard {title}", exact=True)
        discard.click()
        expect(discard).to_have_count(0)
    expect(page.locator("main")).to_contain_text("No drafts.")


def test_a_draft_with_a_name_stays_in_the_address(visit: Visit):
    page = visit.open("author", f"/t/{NAME}/-/edit?draft=Even+shorter&view=run")
    desk = EditorPage(page).ready()
    expect(page).to_have_url(re.compile(r"/\-/edit\?draft=Even\+shorter\&view=run$"))
    page.keyboard.press("Alt+3")
    expect(page).to_have_url(re.compile(r"/\-/edit\?draft=Even\+shorter\&view=samples$"))
    page.keyboard.press("Alt+1")
    expect(page).to_have_url(re.compile(r"/\-/edit\?draft=Even\+shorter$"))
    for mode in ("Form", "Source"):
        page.get_by_role("group", name="Edited as").get_by_role("button", name=mode).click()
    desk.replace("description: ", "description: Half a thought. ")
    expect(page.locator("[data-draft-state]")).to_contain_text("saved")
    page.reload()
    desk = EditorPage(page).ready()
    desk.expect_text("Half a thought.")
    page.keyboard.press("Control+s")
    expect(desk.outcome).to_contain_text("Saved as version")
    page.reload()
    EditorPage(page).ready()
    expect(page).to_have_url(re.compile(r"/\-/edit\?draft=Even\+shorter$"))
    expect(page.locator(".draft-menu summary")).to_contain_text("Even shorter")


def test_the_page_of_a_long_draft_opens_before_its_preview(visit: Visit):
    page = visit.open("author", f"/t/{NAME}/-/edit?draft=Long")
    desk = EditorPage(page).ready()
    line = "    Answer from the policy, and quote the line that you rely on.\n"
    with page.expect_response(lambda answer: answer.request.method == "PUT"):
        desk.replace("- name: question", f"- name: rules\n  role: user\n  content: |\n{line * 900}- name: question")
    held_requests = []
    page.route("**/-/edit/preview*", lambda route: held_requests.append(route))  # noqa: PLW0108  # no method of a list
    page.reload()
    page.locator("form.is-live").wait_for()
    expect(desk.preview).to_contain_text("The preview of a long text follows once the page is open.")
    expect(page.locator("[data-summary]")).to_have_text("Not checked yet.")
    expect(page.locator("[data-preview-state]")).to_have_text("rendering")
    expect(desk.problem_count).to_be_hidden()
    for size in (DESKTOP, PHONE):
        page.set_viewport_size(size)
        assert list_barriers(page) == []
    page.set_viewport_size(DESKTOP)
    for route in held_requests:
        route.continue_()
    page.unroute("**/-/edit/preview*")
    expect(desk.preview).to_contain_text("You help")
    expect(desk.preview).not_to_contain_text("follows once the page is open")
    expect(page.locator("[data-summary]")).not_to_have_text("Not checked yet.")
    expect(desk.problem_count).to_be_visible()
    page.goto(f"/t/{NAME}/-/drafts")
    page.get_by_role("button", name="Discard Long", exact=True).click()
    expect(page.locator("main")).to_contain_text("No drafts.")


def test_a_member_follows_a_shared_draft_until_it_ends(visit: Visit):
    page = visit.open("author", f"/t/{NAME}/-/edit")
    desk = EditorPage(page).ready()
    desk.replace("description: ", "description: Half a thought. ")
    expect(page.locator("[data-draft-state]")).to_contain_text("saved")
    page.goto(f"/t/{NAME}/-/drafts")
    page.get_by_role("button", name="Share Draft", exact=True).click()
    address = page.get_by_role("link", name="the page they see").get_attribute("href") or ""
    reader = visit.open("reader", address)
    body = reader.locator("[data-shared-body]")
    expect(body).to_contain_text("Half a thought.")
    for size in (DESKTOP, PHONE):
        reader.set_viewport_size(size)
        reader.emulate_media(color_scheme="light")
        assert list_barriers(reader) == []
        reader.emulate_media(color_scheme="dark")
        assert list_barriers(reader) == []
    page.goto(f"/t/{NAME}/-/edit")
    EditorPage(page).ready().replace("Half a thought.", "Another thought.")
    expect(body).to_contain_text("Another thought.")
    page.goto(f"/t/{NAME}/-/drafts")
    page.get_by_role("button", name="Stop sharing Draft", exact=True).click()
    expect(reader.locator("[data-shared-state]")).to_contain_text("not shared any more")
    expect(body).to_have_count(0)
    page.get_by_role("button", name="Discard Draft", exact=True).click()
    expect(page.locator("main")).to_contain_text("No drafts.")


def test_others_who_have_the_template_open_are_named_until_they_leave(visit: Visit):
    author = visit.open("author", f"/t/{NAME}/-/edit")
    EditorPage(author).ready()
    reader = visit.open("reader", f"/t/{NAME}")
    seen = reader.locator("[data-presence]")
    expect(seen).to_contain_text("author is editing now")
    reviewer = visit.open("reviewer", f"/t/{NAME}/-/edit")
    EditorPage(reviewer).ready()
    expect(seen).to_contain_text("author and reviewer are editing now")
    expect(author.locator("[data-presence]")).to_contain_text("reviewer is editing now")
    expect(reviewer.locator("[data-presence]")).to_contain_text("author is editing now")
    author.goto("/")
    expect(seen).to_contain_text("reviewer is editing now")
    reviewer.close()
    expect(seen).to_be_hidden()


def test_a_part_edited_by_another_person_is_named_and_linked(visit: Visit):
    author = visit.open("author", f"/t/{NAME}/-/edit", mode="form")
    reviewer = visit.open("reviewer", f"/t/{NAME}/-/edit", mode="form")
    line = reviewer.locator("[data-presence]")
    author.get_by_role("textbox", name="Content of question", exact=True).click()
    there = line.get_by_role("button", name="author is editing question")
    expect(there).to_be_visible()
    there.click()
    card = reviewer.locator(".form-card[data-part=question]")
    expect(card.get_by_role("textbox", name="Content of question", exact=True)).to_be_focused()
    expect(author.locator("[data-presence]")).to_contain_text("reviewer is editing question")
    reviewer.get_by_role("group", name="Edited as").get_by_role("button", name="Source").click()
    line.get_by_role("button", name="author is editing question").click()
    expect(reviewer.get_by_role("textbox", name="Source of the template")).to_be_focused()
    expect(author.locator("[data-presence]")).to_contain_text("reviewer is editing question")
    author.get_by_role("textbox", name="What changed").focus()
    expect(line).to_have_text("author is editing now")


def test_an_editor_open_in_another_tab_is_reported(visit: Visit):
    first = visit.open("author", f"/t/{NAME}/-/edit")
    EditorPage(first).ready()
    line = first.locator("[data-presence]")
    expect(line).to_be_hidden(timeout=20_000)  # a tab of another test that did not say goodbye counts for 10 seconds
    second = first.context.new_page()
    second.goto(f"/t/{NAME}/-/edit")
    expect(second.locator("[data-presence]")).to_have_text("Also open in another tab")
    first.bring_to_front()
    expect(line).to_have_text("Also open in another tab")
    second.close()
    expect(line).to_be_hidden()


def test_another_draft_of_the_same_template_is_not_called_another_tab(visit: Visit):
    first = visit.open("author", f"/t/{NAME}/-/edit")
    EditorPage(first).ready()
    other = first.context.new_page()
    other.goto(f"/t/{NAME}/-/edit?draft=shorter")
    EditorPage(other).ready()
    same = first.context.new_page()
    same.goto(f"/t/{NAME}/-/edit")
    expect(same.locator("[data-presence]")).to_have_text("Also open in another tab")
    expect(other.locator("[data-presence]")).to_be_hidden(timeout=20_000)
