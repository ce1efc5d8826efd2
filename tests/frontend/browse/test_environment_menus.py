"""The menu of a row on the environments page, and the summary in the bar for ticked templates."""

import json
import re
from datetime import UTC, datetime, timedelta
from html import unescape

from registry.changes import rules, schedules
from registry.changes.models import ChangeRequest
from registry.namespaces import keys
from registry.templates import labels
from registry.templates.models import Version
from registry.usage.models import Fetch
from tests.frontend.conftest import REPLY, read_html

PAIR = {"from": "latest", "to": "production"}


def read_menu(browser, role="author"):
    page = read_html(browser(role).get("/environments/", PAIR))
    return page.partition(f'id="menu-{REPLY}"')[2].partition("</div>")[0]


def read_box(browser):
    page = read_html(browser("author").get("/environments/", PAIR))
    return unescape(re.search(r'<input type="checkbox" name="template"[^>]*>', page).group())


def test_a_row_is_compared_and_its_link_copied(reply, browser):
    menu = read_menu(browser, "reader")
    assert f'<a href="/t/{REPLY}/-/diff?from=1&amp;to=2">Compare v1 with v2</a>' in menu
    assert f'data-copy="http://testserver/t/{REPLY}"' in menu
    reply.publish(2)
    assert "Compare" not in read_menu(browser), "both labels serve the same"


def test_other_labels_are_moved_or_proposed_for_by_who_may(reply, browser):
    labels.move_label(actor=reply.actor("author"), name=REPLY, label="staging", version=1, expected=None)
    rules.set_rules(actor=reply.actor("admin"), namespace="support", protected_labels=["production", "eu-production"])
    menu = read_menu(browser)
    assert f'<a href="/t/{REPLY}/-/labels?label=staging&amp;version=2" data-panel>Move staging to v2</a>' in menu
    propose = (
        f'<a href="/t/{REPLY}/-/propose?label=eu-production&amp;version=2" data-panel>Propose v2 for eu-production'
    )
    assert propose in menu
    assert "Propose v2 for production" not in menu, "that is the act of the row"
    reader = read_menu(browser, "reader")
    assert "Move staging" not in reader
    assert "eu-production" not in reader
    labels.move_label(actor=reply.actor("author"), name=REPLY, label="staging", version=2, expected=1)
    assert "Move staging" not in read_menu(browser), "it serves that already"


def test_a_schedule_is_cancelled_from_the_menu(reply, browser):
    change = reply.propose(2)
    assert "Cancel schedule" not in read_menu(browser)
    schedules.schedule_change(
        actor=reply.actor("author"), number=change.number, at=datetime.now(UTC) + timedelta(days=3)
    )
    menu = read_menu(browser)
    assert f'<a href="/changes/{change.number}#goes-live-at">Change date</a>' in menu
    assert f'<button form="unschedule-{REPLY}" name="do" value="unschedule">Cancel schedule' in menu
    assert "Cancel schedule" not in read_menu(browser, "reader")
    page = read_html(browser("author").get("/environments/", PAIR))
    assert f'<form method="post" action="/changes/{change.number}" id="unschedule-{REPLY}">' in page
    browser("author").post(f"/changes/{change.number}", {"do": "unschedule"})
    assert ChangeRequest.objects.get(number=change.number).goes_live_at is None


def test_a_menu_shows_approvals_and_the_services_that_fetch_the_label(reply, browser):
    key = keys.issue_key(actor=reply.actor("admin"), namespace="support", name="chat-service", scope="read").key
    version, today = Version.objects.get(template__name=REPLY, number=1), datetime.now(UTC)
    for ref, count in (("production", 70), ("1", 700)):
        Fetch.objects.create(key=key, version=version, ref=ref, day=today.date(), count=count, last_at=today)
    box = read_box(browser)
    assert 'data-version="v2" data-needs="1"' in box
    assert json.loads(re.search(r'data-fetches="(\{.*?\})"', box).group(1)) == {"chat-service": 10}


def test_a_box_says_only_of_checks_that_passed_that_they_passed(reply, browser):
    assert "data-passed" not in read_box(browser), "v2 was never checked"
