"""Two browsers: the actions of one person are shown on the other's page."""

import re
from datetime import UTC, datetime, timedelta

from playwright.sync_api import Page, expect

from tests.browser.conftest import Server, Visit, make_four_templates
from tests.browser.test_release import wait_for_checks

NAME = "support/refunds/reply"


def _restore_version(page: Page, number: int) -> None:
    page.goto(f"/t/{NAME}?ref={number}")
    page.get_by_role("link", name=f"Restore v{number}").click()
    page.get_by_role("button", name=re.compile(f"^Restore v{number} as")).click()
    page.wait_for_url(lambda url: "restore" not in url)


def test_a_save_by_one_is_shown_to_the_other(visit: Visit):
    reader = visit.open("reviewer", "/t/")  # a page without a stream
    with reader.expect_response(lambda response: "/live/events" in response.url):
        reader.goto(f"/t/{NAME}")
    author = visit.open("author")
    line = reader.locator("#live")
    expect(line).to_be_empty()
    _restore_version(author, 1)
    expect(line).to_contain_text(re.compile(r"author saved v\d+\. Show it"))
    assert line.get_attribute("role") == "status"
    expect(author.locator("#live")).to_be_empty()
    line.get_by_role("link", name="Show it").click()
    expect(reader.locator("#live")).to_be_empty()


def test_a_freeze_that_is_set_and_removed_is_reported_on_an_open_page(visit: Visit):
    reader = visit.open("reviewer", "/t/")  # a page without a stream
    with reader.expect_response(lambda response: "/live/events" in response.url):
        reader.goto(f"/t/{NAME}")
    admin = visit.open("admin", "/n/support/freezes")
    begins = datetime.now(UTC) + timedelta(days=200)
    once = admin.get_by_role("region", name="Once")
    once.get_by_label(re.compile("^From")).fill(f"{begins:%Y-%m-%dT%H:%M}")
    once.get_by_label(re.compile("^Until")).fill(f"{begins + timedelta(hours=1):%Y-%m-%dT%H:%M}")
    once.get_by_label(re.compile("^Why")).fill("The warehouse counts its stock")
    once.get_by_role("button", name="Set freeze").click()
    expect(reader.locator("#live")).to_contain_text("admin set a freeze in support.")
    row = admin.get_by_role("row").filter(has_text="The warehouse counts its stock")
    row.get_by_role("button", name=re.compile("^Remove")).click()
    expect(reader.locator("#live")).to_contain_text("admin removed a freeze of support.")


def test_many_tabs_of_one_browser_share_their_streams(visit: Visit):
    first = visit.open("reviewer", "/t/")  # a page without a stream
    streams: list[str] = []
    first.context.on("request", lambda request: streams.append(request.url) if "/live/" in request.url else None)
    with first.expect_response(lambda response: "/live/events" in response.url):
        first.goto(f"/t/{NAME}")
    tabs = [first.context.new_page() for _ in range(7)]
    for tab in tabs:
        tab.goto(f"/t/{NAME}")
    assert len([url for url in streams if "/live/events" in url]) == 1
    assert len([url for url in streams if "/live/presence" in url]) == 1
    author = visit.open("author", f"/t/{NAME}/-/edit")
    for tab in [first, *tabs]:
        expect(tab.locator("[data-presence]")).to_have_text("author is editing now")
    tabs.append(first.context.new_page())
    tabs[-1].goto(f"/t/{NAME}")
    expect(tabs[-1].locator("[data-presence]")).to_have_text("author is editing now")
    _restore_version(author, 3)  # not what production serves: there is something to propose afterwards
    for tab in [first, *tabs]:
        expect(tab.locator("#live")).to_contain_text("author saved v")


def test_approve_and_publish_are_off_until_a_newer_version_is_shown(server: Server, visit: Visit):
    make_four_templates(server, "live")
    author = visit.open("author", "/releases/new/live/?from=latest&to=production")
    author.get_by_label("Title").fill("Four replies")
    author.get_by_role("button", name="Propose release").click()
    author.wait_for_url(re.compile(r"/releases/\d+$"))
    members = author.get_by_role("region", name="Templates of the release").locator('a[href^="/changes/"]')
    member = members.first.get_attribute("href") or ""
    reviewer = visit.open("reviewer", author.url)
    approve = reviewer.get_by_role("button", name="Approve 4 templates")
    expect(approve).to_be_enabled()
    alone = reviewer.context.new_page()
    alone.goto(f"{server.url}{member}")
    expect(alone.get_by_role("button", name=re.compile("^Approve v1"))).to_be_enabled()
    server.run_program("browser_new_head.py", "live/delivery/exchange")
    expect(approve).to_be_disabled()
    expect(reviewer.get_by_text("author proposed a newer version in this change. Show it first.")).to_be_visible()
    expect(alone.get_by_role("button", name=re.compile("^Approve v1"))).to_be_disabled()
    reviewer.locator("#live").get_by_role("link", name="Show it").click()
    expect(approve).to_be_enabled()
    approve.click()
    expect(reviewer.get_by_text("You approved them.")).to_be_visible()
    author.reload()
    wait_for_checks(author)
    author.get_by_role("button", name=re.compile("Remove summary")).click()
    reviewer.reload()
    expect(reviewer.get_by_role("link", name="Publish release")).to_be_visible()
    server.run_program("browser_new_head.py", "live/policy")
    expect(reviewer.get_by_role("button", name="Publish release")).to_be_disabled()


def test_the_counts_of_the_bar_follow_what_others_do(server: Server, visit: Visit):
    make_four_templates(server, "counted")
    reviewer = visit.open("reviewer", "/t/")  # a page without a stream
    with reviewer.expect_response(lambda response: "/live/events" in response.url):
        reviewer.goto(f"{server.url}/")
    bar = reviewer.get_by_role("navigation", name="Main")
    links = {word: bar.get_by_role("link", name=re.compile(f"^{word}")) for word in ("Home", "Changes")}
    counts = {word: int("".join(re.findall(r"\d+", link.inner_text())) or 0) for word, link in links.items()}
    author = visit.open("author", "/releases/new/counted/?from=latest&to=production")
    author.get_by_label("Title").fill("Four replies")
    author.get_by_role("button", name="Propose release").click()
    author.wait_for_url(re.compile(r"/releases/\d+$"))
    expect(links["Home"]).to_have_text(re.compile(rf"Home\s+{counts['Home'] + 1}$"))
    expect(links["Changes"]).to_have_text(re.compile(rf"Changes\s+{counts['Changes'] + 4}$"))


def test_without_scripts_the_page_is_as_it_was(visit: Visit):
    page = visit.open("reviewer", f"/t/{NAME}", java_script_enabled=False)
    expect(page.locator("#live")).to_be_empty()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
