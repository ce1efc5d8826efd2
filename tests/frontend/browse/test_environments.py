"""Environments: the version of every label of every template, what is behind, and rolling back."""

import re
from datetime import UTC, datetime, timedelta

from django.db import connection
from django.test.utils import CaptureQueriesContext

from frontend.browse import environment_views
from registry.changes import decisions, emergencies, promotion_state, rules, schedules
from registry.changes import services as change_services
from registry.freezes import services as freeze_services
from registry.namespaces.models import Membership
from registry.releases import proposals
from registry.releases import schedules as release_schedules
from registry.releases.plans import ReleaseSelection
from registry.templates import labels
from registry.templates import save as template_save
from registry.templates.models import Version
from tests.frontend.conftest import OTHER, REPLY, read_html


def test_each_label_tells_its_version_and_what_is_behind(reply, browser):
    labels.move_label(actor=reply.actor("author"), name=REPLY, label="staging", version=2, expected=None)
    page = read_html(browser("reader").get("/environments/"))
    assert "1 template, <b>1 ready to promote</b>" in page
    assert "Behind 1" in page
    heads = re.findall(r'<th scope="col"><span class="pill[^"]*">(?:<svg.*?</svg>)?([\w-]+)', page)
    assert heads == ["latest", "staging", "production"]
    assert re.search(
        r"<b>v1</b> <span class=\"faint\"><time.*?</time></span> <span class=\"badge\">1 behind</span>", page
    )


def test_behind_counts_against_the_label_to_the_left(reply, browser):
    labels.move_label(actor=reply.actor("author"), name=REPLY, label="staging", version=1, expected=None)
    page = read_html(browser("reader").get("/environments/"))
    assert page.count("1 behind</span>") == 1, "staging is behind latest, production has what staging has"


def test_a_protected_label_that_was_never_set_is_shown_as_such(reply, browser):
    reply.save(name="support/triage")
    page = read_html(browser("reader").get("/environments/"))
    assert '<td class="is-unset">' in page
    assert "not set" in page


def test_a_reviewer_is_offered_the_way_back_once_there_is_one(reply, browser):
    assert "Roll back" not in read_html(browser("reviewer").get("/environments/"))
    reply.publish(2)
    page = read_html(browser("reviewer").get("/environments/"))
    assert f'href="/t/{REPLY}/-/labels?label=production&amp;version=1" data-panel>Roll production back to v1' in page
    assert "Roll back" not in read_html(browser("author").get("/environments/"))


def test_a_version_that_was_rolled_back_is_not_a_way_back(reply, browser):
    """The rows of Environments, the template's page and the panel name the version before the one that came back."""
    reply.publish(2)
    reply.save(OTHER.replace("Quote", "Cite"), message="Cite the policy")
    reply.publish(3)
    act = {"actor": reply.actor("reviewer"), "name": REPLY, "label": "production"}
    labels.roll_back_label(**act, version=2, reason="It forgot the policy")
    address = f"/t/{REPLY}/-/labels?label=production"
    client = browser("reviewer")
    page = read_html(client.get("/environments/"))
    assert f'href="{address}&amp;version=1" data-panel>Roll production back to v1' in page
    page = read_html(client.get(f"/t/{REPLY}"))
    assert "Roll back to v1" in page
    assert "Roll back to v3" not in page
    panel = read_html(client.get(address))
    assert "Roll production back to v1" in panel
    assert f'href="{address}&amp;version=3&amp;from=2"' in panel, "a person may choose it all the same"
    assert "Roll production back to v3" in read_html(client.get(f"{address}&version=3&from=2"))


def test_an_author_promotes_what_is_ready_and_a_reader_may_not(reply, browser):
    address = f'href="/t/{REPLY}/-/propose?label=production&amp;version=2" data-panel>Promote v2'
    assert address in read_html(browser("author").get("/environments/"))
    page = read_html(browser("reader").get("/environments/"))
    assert address not in page
    assert "needs the author role" in page


def test_only_what_is_behind_is_shown_when_asked_for(reply, browser):
    reply.save(name="support/triage")
    page = read_html(browser("reader").get("/environments/?show=behind"))
    assert REPLY in page
    assert "support/triage" not in page
    reply.publish(2)
    assert "Nothing is behind" in read_html(browser("reader").get("/environments/?show=behind"))


def test_templates_are_found_by_words_of_their_names(reply, browser):
    reply.save(name="support/triage")
    page = read_html(browser("reader").get("/environments/?q=TRI"))
    assert "/t/support/triage" in page
    assert REPLY not in page
    assert "has “zebra” in its name" in read_html(browser("reader").get("/environments/?q=zebra"))


def test_each_namespace_has_its_own_heads_with_its_rule(reply, browser):
    reply.save(name="demo/triage")
    labels.move_label(actor=reply.actor("author"), name="demo/triage", label="production", version=1, expected=None)
    page = read_html(browser("reader").get("/environments/"))
    assert page.index("open to authors") < page.index("needs 1 approval")
    assert page.index("demo/triage") < page.index("needs 1 approval")


def test_an_outsider_sees_none_of_it(reply, browser):
    page = read_html(browser("outsider").get("/environments/"))
    assert REPLY not in page
    assert "0 templates" in page


def test_an_empty_page_leads_an_author_to_a_new_template(desk, browser):
    page = read_html(browser("author").get("/environments/"))
    assert "No templates yet. Each appears here with its first version." in page
    assert 'href="/new">New template' in page
    shown = read_html(browser("reader").get("/environments/"))
    assert "No templates yet. Each appears here with its first version." in shown
    assert 'href="/new">New template' not in shown
    Membership.objects.filter(person__username="reader").delete()
    assert "Ask an admin of a namespace to add you by your name, reader." in read_html(
        browser("reader").get("/environments/")
    )


def test_the_table_costs_the_same_however_long(reply, browser, django_assert_max_num_queries):
    client = browser("reviewer")
    for number in range(6):
        reply.save(OTHER, name=f"support/more/number-{number}")
    with django_assert_max_num_queries(38):
        assert read_html(client.get("/environments/")).count("support/more/number-") >= 6


def test_the_heading_counts_what_is_ready_on_all_pages(reply, browser, monkeypatch):
    for number in range(3):
        reply.save(OTHER, name=f"support/more/number-{number}")
    monkeypatch.setattr(environment_views, "PAGE_SIZE", 2)
    address = "/environments/?from=latest&to=production"
    assert "<b>4 ready to promote</b>" in read_html(browser("author").get(address))
    monkeypatch.setattr(promotion_state, "MAX_EXAMINED", 2)
    assert "<b>at least 2 ready to promote</b>" in read_html(browser("author").get(address))


def promote(browser, role="author", **query):
    return read_html(browser(role).get("/environments/", query))


def test_the_pair_is_chosen_and_remembered(reply, browser):
    labels.move_label(actor=reply.actor("author"), name=REPLY, label="staging", version=1, expected=None)
    client = browser("author")
    assert "<option selected>staging</option>" in read_html(client.get("/environments/"))
    client.get("/environments/?from=latest&to=staging")
    page = read_html(client.get("/environments/"))
    assert re.findall(r"<option selected>([\w-]+)</option>", page) == ["latest", "staging"]
    assert f'/t/{REPLY}/-/labels?label=staging&amp;version=2" data-panel>Promote v2' in page


def test_the_pair_is_each_persons_own_in_every_browser(reply, browser):
    def pair(client):
        return re.findall(r"<option selected>([\w-]+)</option>", read_html(client.get("/environments/")))

    labels.move_label(actor=reply.actor("author"), name=REPLY, label="staging", version=1, expected=None)
    browser("author").get("/environments/?from=latest&to=staging")
    assert pair(browser("author")) == ["latest", "staging"]
    assert pair(browser("reviewer")) == ["staging", "production"]


def test_an_unknown_pair_is_replaced(reply, browser):
    page = promote(browser, **{"from": "nothing", "to": "<b>"})
    assert re.findall(r"<option selected>([\w-]+)</option>", page) == ["latest", "production"]


def test_an_open_request_comes_before_a_promotion(reply, browser):
    number = reply.propose(2).number
    assert f'href="/changes/{number}">Review change {number}' in promote(browser, "reviewer")
    page = promote(browser)
    assert f'href="/changes/{number}">Open change {number}' in page
    assert "needs 1 more approval" in page
    assert "Promote v2" not in page
    assert "Open changes 1" in page


def test_an_emergency_comes_before_everything(reply, browser):
    rules.set_rules(actor=reply.actor("admin"), namespace="support", break_glass=True)
    number = reply.propose(2).number
    emergencies.publish_in_emergency(actor=reply.actor("reviewer"), number=number, reason="Rude answers")
    page = promote(browser, "admin")
    assert f'href="/changes/{number}">Review v2' in page
    assert "1 emergency" in page


def test_a_version_that_the_target_has_is_up_to_date(reply, browser):
    reply.publish(2)
    assert "Up to date" in promote(browser)


def test_a_source_from_elsewhere_has_drifted(reply, browser):
    first = Version.objects.get(template__name=REPLY, number=1)
    reply.publish(2)
    template_save.save_version(
        actor=reply.actor("author"),
        name=REPLY,
        document=OTHER.replace("Quote", "Cite"),
        message="",
        base=first.digest,
        parallel=True,
    )
    page = promote(browser)
    assert "drifted" in page
    assert "has to be merged" in page
    assert 'type="checkbox"' not in page


def test_only_templates_with_an_open_request_are_shown_when_asked_for(reply, browser):
    reply.save(name="support/triage")
    assert "No change for production is open." in promote(browser, show="open")
    reply.propose(2)
    page = promote(browser, show="open")
    assert REPLY in page
    assert "support/triage" not in page
    assert REPLY not in promote(browser, show="open", q="zebra").replace(f"/t/{REPLY}", "")


def test_open_requests_are_shown_a_page_at_a_time(reply, browser, monkeypatch):
    monkeypatch.setattr(environment_views, "PAGE_SIZE", 1)
    reply.save(name="support/triage")
    reply.propose(2)
    change_services.propose_change(
        actor=reply.actor("author"), name="support/triage", label="production", version=1, message=""
    )
    first = browser("author").get("/environments/", {"show": "open"})
    address = re.search(r'href="(\?[^"]*cursor=[^"]*)"', first.content.decode())[1].replace("&amp;", "&")
    second = browser("author").get(f"/environments/{address}")
    assert [name in read_html(first) for name in (REPLY, "support/triage")] == [True, False]
    assert [name in read_html(second) for name in (REPLY, "support/triage")] == [False, True]
    assert ["Show the next" in read_html(page) for page in (first, second)] == [True, False]


def test_ticked_templates_open_the_panel_of_a_release(reply, browser):
    reply.save(name="support/triage")
    page = promote(browser)
    assert 'formaction="/releases/new/"' in page
    query = {"from": "latest", "to": "production", "template": REPLY}
    panel = read_html(browser("author").get("/releases/new/", query))
    assert "Promote 1 template to production" in panel
    assert "support/triage" in panel
    assert re.findall(r'name="template" value="([\w/-]+)" form="panel-form" checked', panel) == [REPLY]


def test_the_last_moves_are_below_the_table(reply, browser):
    page = promote(browser, "reader")
    assert page.index("Last moves") > page.index("</table>")
    assert "published by author" in page


def test_more_requests_cost_no_more_queries(reply, browser):
    client = browser("reviewer")

    def count_queries():
        with CaptureQueriesContext(connection) as queries:
            client.get("/environments/")
        return len(queries)

    reply.propose(2)
    before = count_queries()
    for number in range(4):
        name = f"support/more/number-{number}"
        reply.save(name=name)
        change_services.propose_change(
            actor=reply.actor("author"), name=name, label="production", version=1, message=""
        )
    assert count_queries() == before


SOON = (datetime.now(UTC) + timedelta(days=3)).replace(hour=8, minute=30, second=0, microsecond=0)


def test_a_scheduled_request_says_when_it_goes_live_and_authors_change_it(reply, browser):
    change = reply.propose(2)
    assert "Goes live" not in promote(browser)
    schedules.schedule_change(actor=reply.actor("author"), number=change.number, at=SOON)
    badge = f"Goes live {SOON:%a} {SOON.day} {SOON:%b %H:%M} UTC"
    link = f'<a href="/changes/{change.number}#goes-live-at">Change date'
    assert badge in promote(browser)
    assert link in promote(browser)
    assert f'href="/changes/{change.number}">Open change {change.number}' in promote(browser)
    reader = promote(browser, "reader")
    assert badge in reader
    assert "Change date" not in reader
    assert 'id="goes-live-at"' in read_html(browser("author").get(f"/changes/{change.number}"))


def test_the_date_of_what_is_approved_is_the_act_of_its_row(reply, browser):
    change = reply.propose(2)
    schedules.schedule_change(actor=reply.actor("author"), number=change.number, at=SOON)
    decisions.decide_on_change(
        actor=reply.actor("reviewer"), number=change.number, decision="approve", digest=change.version.digest
    )
    page = promote(browser)
    assert page.count("Change date<span") == 1, "and once in the menu of the row"
    assert f'href="/changes/{change.number}#goes-live-at">Change date' in page
    assert f"Open change {change.number}" not in page
    assert f"Open change {change.number}" in promote(browser, "reader")


def test_a_request_of_a_release_goes_live_with_it(reply, browser):
    release = proposals.propose_release(
        actor=reply.actor("author"),
        namespace="support",
        label="production",
        title="One",
        selection=ReleaseSelection(versions={REPLY: 2}),
    ).release
    release_schedules.schedule_release(actor=reply.actor("author"), number=release.number, at=SOON)
    page = promote(browser)
    assert f"Goes live {SOON:%a} {SOON.day} {SOON:%b %H:%M} UTC" in page
    assert f'<a href="/releases/{release.number}#goes-live-at">Change date' in page


def _freeze(reply, begins, ends):
    freeze_services.set_freeze(
        actor=reply.actor("admin"),
        namespace="support",
        repeat="once",
        starts=begins.isoformat(),
        ends=ends.isoformat(),
        reason="Holidays",
    )


def test_the_next_freeze_of_a_week_is_next_to_the_protected_label(reply, browser):
    _freeze(reply, SOON + timedelta(days=9), SOON + timedelta(days=10))
    assert "no releases" not in promote(browser)
    _freeze(reply, SOON, SOON + timedelta(days=1))
    end = SOON + timedelta(days=1)
    page = promote(browser)
    assert f">needs 1 approval, no releases {SOON:%a %H:%M} to {end:%a %H:%M}</span>" in page
    notice = f"no releases from {SOON:%a} {SOON.day} {SOON:%b %H:%M} UTC until {end:%a} {end.day} {end:%b %H:%M} UTC"
    assert f'title="{notice}"' in page


def test_a_freeze_that_ends_in_more_than_a_week_is_reported_with_its_day(reply, browser):
    end = SOON + timedelta(days=20)
    _freeze(reply, SOON, end)
    assert f"no releases {SOON:%a %H:%M} to {end:%a} {end.day} {end:%b %H:%M}</span>" in promote(browser)


def test_days_of_a_freeze_are_named_in_the_language_of_the_page(reply, browser):
    now = datetime.now(UTC)
    _freeze(reply, now - timedelta(hours=1), now + timedelta(days=30))
    client = browser("author")
    page = read_html(client.get("/environments/?from=latest&to=production", headers={"accept-language": "de"}))
    day = ("Mo", "Di", "Mi", "Do", "Fr", "Sa", "So")[(now + timedelta(days=30)).weekday()]
    assert f"keine Veröffentlichungen bis {day} " in page


def test_a_freeze_that_holds_now_is_reported_before_one_that_comes(reply, browser):
    now = datetime.now(UTC)
    _freeze(reply, SOON, SOON + timedelta(days=1))
    _freeze(reply, now - timedelta(hours=1), now + timedelta(hours=1))
    page = promote(browser)
    assert "no releases until" in page
    assert page.count("no releases") == 2, "in short, and with the dates where the pointer rests"


def test_rows_without_an_action_are_marked_for_phones_but_not_in_a_view(reply, browser):
    reply.save(name="support/triage")
    reply.publish(2)
    client = browser("reader")
    page = client.get("/environments/").content.decode()
    rows = re.findall(r'<tr data-row data-rank="\d"\s+class="([\w-]*)">', page)
    settled = rows.count("is-settled")
    assert 0 < settled < len(rows)
    assert read_html(client.get("/environments/")).count(f"{settled} template") == 1
    assert "data-folds" in page
    assert "data-folds" not in client.get("/environments/?q=reply").content.decode()


def test_the_chosen_labels_have_pills(reply, browser):
    page = read_html(browser("author").get("/environments/?from=latest&to=production"))
    assert 'data-label="latest" hidden' in page
    assert re.search(r'data-label="production" hidden[^>]*><span class="pill pill-protected"', page)


def roll_back_second(reply):
    reply.publish(2)
    act = {"actor": reply.actor("reviewer"), "name": REPLY, "label": "production", "version": 1}
    labels.roll_back_label(**act, reason="It <b>forgot</b> the policy")


def test_a_version_that_was_rolled_back_is_not_offered_without_saying_so(reply, browser):
    page = read_html(browser("author").get("/environments/?from=latest&to=production"))
    assert "rolled back" not in page
    roll_back_second(reply)
    page = read_html(browser("author").get("/environments/?from=latest&to=production"))
    assert re.search(r"v2 was rolled back <time[^>]*>[^<]*</time> by reviewer: It &lt;b&gt;forgot", page)
    assert '<span class="note">was rolled back</span>' in page
    assert "Promote v2" in page


def test_an_open_request_for_it_takes_the_place_of_the_hint(reply, browser):
    roll_back_second(reply)
    reply.propose(2)
    page = read_html(browser("author").get("/environments/?from=latest&to=production"))
    assert "was rolled back" not in page


def test_where_all_are_more_than_a_page_those_with_something_to_do_are_shown(reply, browser, monkeypatch):
    monkeypatch.setattr(environment_views, "PAGE_SIZE", 2)
    for name in ("support/a", "support/b", "support/c"):
        reply.save(name=name)
        labels.move_label(actor=reply.actor("author"), name=name, label="staging", version=1, expected=None)
    client = browser("author")
    page = read_html(client.get("/environments/?from=latest&to=staging"))
    assert list_names(page) == [REPLY]
    assert 'Showing templates with something to do. <a href="?show=all">Show all 4 by name</a>' in page
    page = read_html(client.get("/environments/?show=all"))
    assert list_names(page) == ["support/a", "support/b"]
    assert "something to do" not in page
    assert "Show the next" in page
    labels.move_label(actor=reply.actor("author"), name=REPLY, label="staging", version=2, expected=None)
    page = read_html(client.get("/environments/"))
    assert list_names(page) == ["support/a", "support/b"], "nothing is to be done"
    assert "Show the next" in page


def list_names(page):
    return re.findall(r'<th scope="row">.*?href="/t/([^"]+)"', page)
