"""axe finds no barrier on any page, and none is wider than its screen, in both themes at both widths."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.support.accessibility import list_barriers_in_every_look
from tests.support.editor_page import EditorPage

REPLY = "/t/support/refunds/reply"
EDITORS = {
    "editor": f"{REPLY}/-/edit",
    "run": f"{REPLY}/-/edit?view=run",
}
AUTHOR_PAGES = {
    "home": "/",
    "account": "/account",
    "own keys": "/account/keys",
    "mail": "/mail",
    "environments": "/environments/",
    "calendar": "/environments/calendar",
    "browse": "/t/",
    "folder": "/t/support/",
    "saved views": "/saved-views",
    "bulk": f"/several?act=tag&template={REPLY.removeprefix('/t/')}",
    "new": "/new",
    "import": "/t/import",
    "template": REPLY,
    "versions": f"{REPLY}/-/versions",
    "diff": f"{REPLY}/-/diff?from=1&to=2",
    "restore": f"{REPLY}/-/restore?ref=1",
    "drafts": f"{REPLY}/-/drafts",
    "samples": f"{REPLY}/-/samples",
    "copy": f"{REPLY}/-/copy",
    "export": f"{REPLY}/-/export",
    "fetches": f"{REPLY}/-/fetches",
    "follow": f"{REPLY}/-/follow",
    "propose": f"{REPLY}/-/propose",
    "labels": f"{REPLY}/-/labels?label=production",
    "dependants": "/t/support/policy/-/dependants",
    "changes": "/changes/",
    "change": "/changes/1",
    "merge": "/changes/1/merge",
    "conversation": "/changes/1?view=conversation",
    "both views": "/changes/1?view=both",
    "rollout": "/changes/8",
    "emergency": "/changes/1/emergency",
    "releases": "/releases/",
    "new release": "/releases/new/support/",
    "promote templates": "/releases/new/?from=latest&to=production&template=support/policy&template=demo/rag",
    "runs": "/runs/",
    "new run": "/runs/new",
    "one run": "/runs/1",
    "rows of a run": "/runs/1/rows",
    "matrix": "/runs/1/matrix",
    "scores": "/runs/1/score",
    "datasets": "/d/",
    "new dataset": "/d/new",
    "dataset": "/d/support/refunds/questions",
    "dataset editor": "/d/support/refunds/questions/-/edit",
    "help": "/help/",
    "glossary": "/help/glossary",
    "problem codes": "/help/reference/problems",
    "keyboard shortcuts": "/help/reference/keys",
}
ADMIN_PAGES = {
    "archive": f"{REPLY}/-/archive",
    "rename": f"{REPLY}/-/rename",
    "rename folder": "/folders/support/refunds/rename",
    "settings": "/settings/",
    "people": "/people?person=reader",
    "deactivate": "/people/reader/deactivate",
    "reset sign-in": "/people/reader/reset-sign-in",
    "single sign-on": "/people/single-sign-on",
    "new namespace": "/n/new",
    "members": "/n/support/members",
    "groups": "/n/support/groups",
    "keys": "/n/support/keys",
    "standards": "/n/support/rules",
    "freezes": "/n/support/freezes",
    "evaluations": "/n/support/evaluations",
    "connections": "/n/support/models",
    "webhooks": "/n/support/webhooks",
    "audit": "/n/support/audit",
}


@pytest.mark.parametrize("name", AUTHOR_PAGES)
def test_a_page_has_no_barrier(visit: Visit, name: str):
    page = visit.open("author", AUTHOR_PAGES[name])
    expect(page.locator("main h1")).to_be_visible()
    assert list_barriers_in_every_look(page) == []


@pytest.mark.parametrize("name", EDITORS)
def test_the_editor_has_no_barrier(visit: Visit, name: str):
    page = visit.open("author", EDITORS[name])
    EditorPage(page).ready()
    assert list_barriers_in_every_look(page) == []


@pytest.mark.parametrize("name", ADMIN_PAGES)
def test_an_admin_page_has_no_barrier(visit: Visit, name: str):
    page = visit.open("admin", ADMIN_PAGES[name])
    expect(page.locator("main h1")).to_be_visible()
    assert list_barriers_in_every_look(page) == []


def test_the_login_has_no_barrier(visit: Visit):
    assert list_barriers_in_every_look(visit.open(path="/login")) == []


@pytest.mark.parametrize(
    ("theme", "colours"),
    [("light", "rgb(150 150 150), CanvasText"), ("dark", "CanvasText, rgb(90 90 90)")],
)
def test_pale_text_in_one_theme_is_found_at_both_widths(visit: Visit, theme: str, colours: str):
    page = visit.open(path="/login")
    page.locator("h1").evaluate(
        """(heading, colours) => {
          heading.style.cssText = `font-size: 16px; background: Canvas; color: light-dark(${colours})`;
        }""",
        colours,
    )
    found = [barrier.partition(" x")[0] for barrier in list_barriers_in_every_look(page)]
    assert found == [f"{theme} at 1280: color-contrast", f"{theme} at 390: color-contrast"]
