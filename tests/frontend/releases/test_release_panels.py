"""The panels before a release is published or rolled back: the effects, and changes while they are open."""

import re
from datetime import timedelta
from html import escape, unescape

import pytest
from django.utils import timezone

from registry.changes import decisions, schedules
from registry.changes import services as change_services
from registry.namespaces import folder_roles
from registry.redaction.services import redact_version
from registry.releases import proposals
from registry.releases import services as release_services
from registry.releases.models import Release
from registry.releases.plans import ReleaseSelection
from registry.templates.label_models import Label
from registry.templates.models import Template
from tests.frontend.conftest import OTHER, REPLY, read_html

ONE, TWO = "support/refunds/one", "support/two"
MOVED = "Something changed while this panel was open, so nothing was done."


@pytest.fixture
def release(desk) -> Release:
    """An approved release that moves production of two templates from version 1 to version 2."""
    for name in (ONE, TWO):
        desk.save(name=name)
    first = _propose(desk, 1)
    _approve(desk, first)
    release_services.publish_release(actor=desk.actor("author"), number=first.number)
    for name in (ONE, TWO):
        desk.save(OTHER, name=name)
    second = _propose(desk, 2)
    _approve(desk, second)
    return second


def _propose(desk, version: int) -> Release:
    return proposals.propose_release(
        actor=desk.actor("author"),
        namespace="support",
        label="production",
        title=f"Release of v{version}",
        selection=ReleaseSelection(versions={ONE: version, TWO: version}),
    ).release


def _approve(desk, release) -> None:
    digests = {member.number: member.version.digest for member in release.members.select_related("version")}
    release_services.approve_release(actor=desk.actor("reviewer"), number=release.number, digests=digests)


def served() -> dict[str, int]:
    rows = Label.objects.filter(name="production").order_by("template__name")
    return dict(rows.values_list("template__name", "version__number"))


def move_alone(desk, name: str) -> None:
    """Publish another version of one of the templates in a separate change."""
    change = change_services.propose_change(
        actor=desk.actor("author"),
        name=name,
        label="production",
        version=desk.save(OTHER + "\n", name=name).number,
        message="",
    )
    decisions.decide_on_change(
        actor=desk.actor("reviewer"), number=change.number, decision="approve", digest=change.version.digest
    )
    change_services.publish_change(actor=desk.actor("author"), number=change.number)


def test_the_panel_shows_each_template_and_says_what_it_saw(release, browser):
    page = read_html(browser("author").get("/releases/2/publish"))
    assert "Publish 2 templates to production" in page
    assert f'name="expected" value="{ONE} 2 1"' in page
    assert "All 2 go live together, or none." in page
    assert "approved by reviewer" in page
    assert '/releases/2/publish" data-panel' in browser("author").get("/releases/2").content.decode()


def test_the_panel_says_what_is_still_to_do_and_has_no_button(desk, release, browser):
    change_services.set_head(actor=desk.actor("author"), number=3, version=desk.save(OTHER + "\n", name=ONE).number)
    page = read_html(browser("author").get("/releases/2/publish"))
    assert "Before this can go live" in page
    assert 'value="publish"' not in page


def test_a_reader_sees_what_would_follow_and_no_button(release, browser):
    page = read_html(browser("reader").get("/releases/2/publish"))
    assert "Publishing needs the author role in support." in page
    assert 'value="publish"' not in page


def test_publishing_is_refused_where_a_label_moved_and_says_which(desk, release, browser):
    seen = [f"{ONE} 2 1", f"{TWO} 2 1"]
    move_alone(desk, ONE)
    answer = browser("author").post("/releases/2", {"do": "publish", "how": "at_once", "expected": seen})
    page = read_html(answer)
    assert answer.status_code == 409
    assert MOVED in page
    assert f"{ONE}: production serves version 3 by now." in page
    assert served() == {ONE: 3, TWO: 1}


def test_publishing_is_refused_where_a_template_was_added(desk, release, browser):
    late = "support/late"
    desk.save(name=late)
    proposals.add_to_release(actor=desk.actor("author"), number=2, versions={late: 1})
    answer = browser("author").post("/releases/2", {"do": "publish", "expected": [f"{ONE} 2 1", f"{TWO} 2 1"]})
    assert answer.status_code == 409
    assert f"{late}: it was added after you looked." in read_html(answer)


def test_all_go_live_where_nothing_moved_and_the_status_line_leads_back(release, browser):
    client = browser("reviewer")
    sent = {"do": "publish", "how": "at_once", "expected": [f"{ONE} 2 1", f"{TWO} 2 1"]}
    assert client.post("/releases/2", sent).status_code == 302
    assert served() == {ONE: 2, TWO: 2}
    page = client.get("/releases/2").content.decode()
    assert 'Published: all labels moved. <a href="/releases/2/roll-back">Undo</a>' in page


def kept_as(page: str) -> str:
    """The key under which the browser stores the panel's input; the form posts it too."""
    (key,) = re.findall(r'data-keep="([^"]*)"', page)
    assert f'name="form" value="{key}"' in page
    return unescape(key)


def test_typed_text_is_kept_until_the_release_is_published_or_rolled_back(release, browser):
    client = browser("reviewer")
    seen = {"do": "publish", "expected": [f"{ONE} 2 1", f"{TWO} 2 1"]}
    for panel, sent in (
        ("publish", seen),
        ("roll-back", {"do": "roll_back", "template": [ONE, TWO], "reason": "Too long."}),
    ):
        key = kept_as(read_html(client.get(f"/releases/2/{panel}")))
        assert f'data-done="{key}"' in read_html(client.post("/releases/2", {**sent, "form": key}, follow=True))


def test_typed_text_is_kept_until_the_release_is_proposed(desk, browser):
    desk.save(name=ONE)
    client = browser("author")
    page = read_html(client.get("/releases/new/support/?from=latest&to=production&template={ONE}"))
    key = kept_as(page)
    sent = {"from_label": "latest", "label": "production", "template": ONE, "title": "One", "form": key}
    refused = read_html(client.post("/releases/new/support/", {**sent, "title": ""}))
    assert kept_as(refused) == key
    done = client.post("/releases/new/support/", sent, follow=True).content.decode()
    assert f'<span data-done="{escape(key)}">Release 1 is open.</span>' in " ".join(done.split()).replace(" >", ">")


def test_a_moment_is_chosen_in_the_panel_and_refused_where_a_label_moved(desk, release, browser):
    client = browser("author")
    sent = {"do": "publish", "how": "on_date", "goes_live_at": "2000-01-01T10:00"}
    sent_seen = {**sent, "expected": [f"{ONE} 2 1", f"{TWO} 2 1"]}
    answer = client.post("/releases/2", sent_seen)
    assert answer.status_code == 422
    assert "This is in the past." in read_html(answer)
    assert 'value="2000-01-01T10:00"' in read_html(answer)
    answer = client.post("/releases/2", {**sent_seen, "goes_live_at": "2999-01-01T10:00"})
    assert "This is more than a year away." in read_html(answer)
    move_alone(desk, TWO)
    assert MOVED in read_html(client.post("/releases/2", sent_seen))


def test_removing_is_refused_where_the_label_moved(desk, release, browser):
    assert f'name="expected" value="{ONE} 2 1"' in read_html(browser("author").get("/releases/2"))
    move_alone(desk, ONE)
    sent = {"do": "remove", "change": "3", "expected": f"{ONE} 2 1"}
    answer = browser("author").post("/releases/2", sent)
    assert answer.status_code == 409
    assert "production serves version 3 by now" in read_html(answer)
    assert release.members.count() == 2
    assert browser("author").post("/releases/2", {**sent, "expected": f"{ONE} 2 3"}).status_code == 302


@pytest.fixture
def published(desk, release) -> Release:
    return release_services.publish_release(actor=desk.actor("author"), number=2)


def test_rolling_back_shows_from_and_to_and_asks_for_a_reason(published, browser):
    page = read_html(browser("reviewer").get("/releases/2/roll-back"))
    assert "Roll production of 2 templates back" in page
    assert f'name="expected" value="{ONE} 1 2"' in page
    assert "Wrong answers" in page
    assert "Needs no approval." in page


def test_a_cause_is_a_reason_and_words_are_added_to_it(published, browser):
    client = browser("reviewer")
    sent = {"do": "roll_back", "template": [ONE, TWO], "expected": [f"{ONE} 1 2", f"{TWO} 1 2"]}
    answer = client.post("/releases/2", {**sent, "cause": "other"})
    assert answer.status_code == 422
    assert "Say why it goes back" in read_html(answer)
    answer = client.post("/releases/2", {**sent, "cause": "cost", "reason": "Twice the tokens"})
    assert answer.status_code == 302
    assert served() == {ONE: 1, TWO: 1}
    assert "Cost: Twice the tokens" in read_html(client.get("/releases/2"))


def test_a_form_in_the_panel_over_a_page_is_refused_there_and_leads_to_the_whole_page_when_done(published, browser):
    client, headers = browser("reviewer"), {"HX-Request": "true", "HX-Target": "panel"}
    sent = {"do": "roll_back", "template": [ONE, TWO], "expected": [f"{ONE} 1 2", f"{TWO} 1 2"]}
    refused = client.post("/releases/2", sent, headers=headers)
    page = read_html(refused)
    assert (refused.status_code, "Say why it goes back" in page, "<main" in page) == (422, True, False)
    done = client.post("/releases/2", {**sent, "cause": "cost"}, headers=headers)
    assert (done.status_code, done["HX-Redirect"], done.content) == (204, "/releases/2", b"")
    assert "Location" not in done
    assert "Rolled back." in read_html(client.get("/releases/2"))


def test_one_template_goes_back_alone(published, browser):
    sent = {"do": "roll_back", "template": [ONE], "cause": "errors", "expected": [f"{ONE} 1 2", f"{TWO} 1 2"]}
    assert browser("reviewer").post("/releases/2", sent).status_code == 302
    assert served() == {ONE: 1, TWO: 2}


def test_rolling_back_is_refused_where_a_label_moved_and_keeps_what_was_typed(desk, published, browser):
    move_alone(desk, ONE)
    sent = {"do": "roll_back", "template": [ONE, TWO], "reason": "Typed", "expected": [f"{ONE} 1 2", f"{TWO} 1 2"]}
    answer = browser("reviewer").post("/releases/2", sent)
    page = read_html(answer)
    assert answer.status_code == 409
    assert MOVED in page
    assert "Typed" in page
    assert f"production of {ONE} has moved on since." in page
    assert served() == {ONE: 3, TWO: 2}


def test_a_first_version_has_nothing_to_go_back_to_and_an_author_no_button(desk, release, browser):
    page = read_html(browser("reviewer").get("/releases/1/roll-back"))
    assert "production had no version before, so there is nothing to go back to." in page
    assert 'value="roll_back"' not in page
    release_services.publish_release(actor=desk.actor("author"), number=2)
    assert "Rolling back needs the reviewer role in support." in read_html(
        browser("author").get("/releases/2/roll-back")
    )


def test_a_template_outside_of_the_reviewers_folder_has_no_box_and_says_why(desk, published, browser):
    folder = {"namespace": "support", "folder": "refunds"}
    folder_roles.set_folder_role(actor=desk.actor("admin"), **folder, person="author", role="reviewer")
    page = read_html(browser("author").get("/releases/2/roll-back"))
    assert "Roll production of 1 template back" in page
    assert f'name="template" value="{ONE}"' in page
    assert f'name="template" value="{TWO}"' not in page
    assert "You need the role reviewer to roll" in page


def test_the_same_holds_over_the_api(desk, release, browser):
    client, address = browser("author"), "/api/v1/namespaces/support/releases/2"
    seen = {name: {"version": 2, "serves": 1} for name in (ONE, TWO)}
    labels_before = served()
    move_alone(desk, ONE)
    for call, body in (("publish", {}), ("roll-back", {"reason": "x"})):
        answer = client.post(f"{address}/{call}", {**body, "expected": seen}, content_type="application/json")
        assert answer.status_code in (403, 409), call
    answer = client.post(f"{address}/publish", {"expected": seen}, content_type="application/json")
    assert (answer.status_code, answer.json()["expected"]) == (409, [ONE])
    assert served()[TWO] == labels_before[TWO]
    bad = {"expected": {ONE: {"version": "2", "serves": 1}}}
    assert client.post(f"{address}/publish", bad, content_type="application/json").status_code == 400


def test_nobody_else_reads_the_panels(desk, release, browser):
    for page in ("publish", "roll-back"):
        assert browser("outsider").get(f"/releases/2/{page}").status_code == 404


def test_a_change_that_joins_loses_its_date_and_its_planned_rollout_and_both_are_shown(desk, release, browser):
    author = desk.actor("author")
    release_services.publish_release(actor=author, number=release.number)
    _, dated = (
        change_services.propose_change(
            actor=author,
            name=name,
            label="production",
            version=desk.save(OTHER + "\n", name=name).number,
            message="",
            planned_rollout={"steps": [{"share": 500, "hours": None}]} if name == ONE else None,
        )
        for name in (ONE, TWO)
    )
    schedules.schedule_change(actor=author, number=dated.number, at=timezone.now() + timedelta(days=1))
    client = browser("author")
    panel = read_html(client.get("/releases/new/support/?from=latest&to=production"))
    gradually, date = "at once, without its planned rollout", "its own date ends"
    assert (panel.count(gradually), panel.count(date)) == (1, 1), panel[:3000]
    number = _propose(desk, 3).number
    _approve(desk, Release.objects.get(number=number))
    page = read_html(client.get(f"/releases/{number}/publish"))
    assert (page.count(gradually), date in page) == (1, False)


def test_each_panel_loads_the_size_and_the_evidence_of_each_template(published, browser):
    client = browser("reviewer")
    page = read_html(client.get("/releases/2/roll-back"))
    for name in (ONE, TWO):
        assert f'hx-get="/t/{name}/-/move/size?label=production&amp;version=1" hx-trigger="intersect once"' in page
        assert f'hx-get="/t/{name}/-/move/evidence?label=production&amp;version=1" hx-trigger="toggle once"' in page


def test_the_panel_that_proposes_prefills_the_title(desk, release, browser):
    desk.save(OTHER + "\n", name=ONE, message="Quote the policy")
    desk.save(OTHER + "\n", name=TWO, message="Quote the policy")
    page = read_html(browser("author").get("/releases/new/support/?from=latest&to=production"))
    assert 'value="Quote the policy"' in page
    assert f'hx-get="/t/{ONE}/-/move/size?label=production&amp;version=3" hx-trigger="intersect once"' in page
    desk.save(OTHER + "\n\n", name=TWO, message="Shorter")
    page = read_html(browser("author").get("/releases/new/support/?from=latest&to=production"))
    assert 'value="Promote latest to production"' in page
    one = read_html(browser("author").get(f"/releases/new/support/?from=latest&to=production&template={TWO}"))
    assert 'value="Shorter"' in one


def test_the_size_names_lines_tokens_and_inputs_that_callers_must_also_send(reply, browser):
    reply.save(OTHER.replace("inputs:", "inputs:\n  order: {type: string}"))
    size = read_html(browser("reader").get(f"/t/{REPLY}/-/move/size?label=production&version=3"))
    assert "2 lines change" in size
    assert "callers must also send order" in size
    same = read_html(browser("reader").get(f"/t/{REPLY}/-/move/size?label=production&version=2"))
    assert "1 line changes" in same
    assert "tokens" in same
    assert "callers need to send nothing new" in same


def test_the_evidence_is_that_of_the_panel_of_one_template_and_stays_in_its_row(reply, browser):
    address = f"/t/{REPLY}/-/move/evidence?label=production&version=2"
    page = read_html(browser("reader").get(address))
    pk = Template.objects.get(name=REPLY).pk
    for part in ("what", "evaluation", "services", "checks"):
        assert f'aria-labelledby="panel-{part}-{pk}"' in page
        assert f'id="panel-{part}-{pk}"' in page
    assert "on sample “boots”" in page
    assert "data-panel" not in page
    source = f'hx-get="{address}&view=source"'.replace("&", "&amp;")
    assert f'{source} hx-target="closest .panel-member-evidence"' in page
    assert "Source, line by line" in read_html(browser("reader").get(f"{address}&view=source"))


def test_the_evidence_of_an_unknown_version_or_label_is_refused(reply, browser):
    for part in ("size", "evidence"):
        address = f"/t/{REPLY}/-/move/{part}"
        assert browser("reader").get(f"{address}?label=production&version=99").status_code == 404
        assert browser("reader").get(f"{address}?label=latest&version=1").status_code == 422
        assert browser("outsider").get(f"{address}?label=production&version=1").status_code == 404


def test_the_size_of_a_redacted_text_is_left_out(reply, browser):
    redact_version(actor=reply.actor("admin"), name=REPLY, version=1, reason="A name", force=True)
    answer = browser("reader").get(f"/t/{REPLY}/-/move/size?label=production&version=2")
    assert (answer.status_code, "change" in read_html(answer)) == (200, False)
