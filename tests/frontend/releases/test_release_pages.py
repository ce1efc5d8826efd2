"""The pages of releases: proposing several templates, reviewing, publishing and rolling them back together."""

import re
from datetime import UTC, datetime

import pytest
from django.template.loader import render_to_string

from frontend.home.work_items import describe_urgency, list_rows_of_person
from frontend.releases import member_differences
from frontend.releases.service_rows import ServiceRow, list_affected_services
from registry.accounts.models import Key
from registry.changes import rules
from registry.changes import services as change_services
from registry.namespaces import keys
from registry.releases import gate as release_gate
from registry.releases import proposals
from registry.releases.models import Release
from registry.releases.plans import ReleaseSelection
from registry.templates import samples
from registry.templates.label_models import Label
from registry.templates.models import Version
from registry.usage.models import Fetch
from tests.frontend.conftest import OTHER, REPLY, SAMPLES, read_html
from tests.support.seen_versions import seen_versions

SUMMARY = "support/refunds/summary"
ONE, TWO = "support/refunds/one", "support/refunds/two"


@pytest.fixture
def release(desk) -> Release:
    """A release of two templates for production."""
    for name in (ONE, TWO):
        desk.save(name=name)
    return proposals.propose_release(
        actor=desk.actor("author"),
        namespace="support",
        label="production",
        title="Refund window",
        description="Legal said so",
        selection=ReleaseSelection(versions={ONE: 1, TWO: 1}),
    ).release


def approvals(release, names=(ONE, TWO)):
    members = release.members.select_related("version").filter(template__name__in=names)
    return [f"{member.number}:{member.version.digest}" for member in members]


def served():
    return set(Label.objects.filter(name="production").values_list("template__name", flat=True))


def test_the_page_lists_its_templates_and_what_each_waits_for(release, browser):
    page = read_html(browser("reviewer").get("/releases/1"))
    assert "Refund window" in page
    assert "Legal said so" in page
    assert "1 thing to do before this release can go live" in page
    assert "Approve 2 templates" in page
    assert "2 templates</b>" in page


def test_all_that_i_may_is_approved_in_one_act_and_published_in_another(release, browser):
    answer = browser("reviewer").post("/releases/1", {"do": "approve", "digest": approvals(release)})
    assert answer["Location"] == "/releases/1"
    assert "Ready to publish." in read_html(browser("author").get("/releases/1"))
    browser("author").post("/releases/1", {"do": "publish"})
    assert served() == {ONE, TWO}
    assert Release.objects.get().state == "published"


def test_a_refused_publish_says_which_templates_wait(release, browser):
    browser("reviewer").post("/releases/1", {"do": "approve", "digest": approvals(release, [ONE])})
    answer = browser("author").post("/releases/1", {"do": "publish"})
    assert answer.status_code == 403
    assert f"{TWO}: Needs 1 more approval." in read_html(answer)
    assert served() == set()


def test_an_approval_of_another_digest_is_refused(release, browser):
    answer = browser("reviewer").post("/releases/1", {"do": "approve", "digest": ["1:sha256:other"]})
    assert answer.status_code == 409
    assert "not what you looked at" in read_html(answer)


def test_the_page_of_a_member_says_so_and_does_not_publish(release, browser):
    browser("reviewer").post("/releases/1", {"do": "approve", "digest": approvals(release)})
    page = read_html(browser("author").get("/changes/1"))
    assert "release 1: Refund window" in page
    assert "It goes live with" in page
    assert "Open release" in page
    assert browser("author").post("/changes/1", {"do": "publish", **seen_versions(1)}).status_code == 409


def test_home_and_the_counts_show_a_release_once(release, browser):
    page = read_html(browser("reviewer").get("/"))
    assert "1 thing is waiting on you" in page
    assert "1 blocks a release." in page
    assert "Blocks a release of 2 templates." in page
    assert page.count("Refund window") == 1


def test_a_release_without_open_templates_holds_nothing_up(desk, release):
    author = desk.actor("author")
    for change in (1, 2):
        change_services.withdraw_change(actor=author, number=change, reason="Not needed")
    (row,) = list_rows_of_person([], [release_gate.evaluate_release(Release.objects.get(), author)], author)
    assert describe_urgency([row]) == ""
    shown = render_to_string("frontend/home/_waiting_row.html", {"row": row})
    assert "No template is left in it: add one, or withdraw it." in shown
    assert "Blocks a release" not in shown


def test_home_of_its_author_shows_it_among_what_waits_on_others(release, browser):
    page = read_html(browser("author").get("/"))
    assert page.count("Refund window") == 1
    assert "Waiting on others" in page


def test_words_stay_in_the_conversation(release, browser):
    browser("author").post("/releases/1", {"do": "comment", "text": "Sale items\r\ntoo?"})
    page = read_html(browser("reader").get("/releases/1"))
    assert "Sale items" in page
    assert "opened the release of 2 templates" in page


def test_a_refused_withdrawal_keeps_what_was_typed(release, browser):
    answer = browser("author").post("/releases/1", {"do": "withdraw", "text": " "})
    assert answer.status_code == 422
    browser("author").post("/releases/1", {"do": "withdraw", "text": "Legal said no"})
    assert "Legal said no" in read_html(browser("reader").get("/releases/1"))


def test_templates_are_removed_and_added(desk, release, browser):
    desk.save(name="support/late")
    browser("author").post("/releases/1", {"do": "remove", "change": "1"})
    answer = browser("author").post("/releases/1", {"do": "add", "template": " support/late ", "version": "1"})
    assert answer.status_code == 302
    assert set(release.members.values_list("template__name", flat=True)) == {TWO, "support/late"}
    assert browser("author").post("/releases/1", {"do": "add", "template": "x", "version": ""}).status_code == 422


def test_a_release_is_rolled_back_from_its_page(desk, release, browser):
    browser("reviewer").post("/releases/1", {"do": "approve", "digest": approvals(release)})
    browser("author").post("/releases/1", {"do": "publish"})
    answer = browser("reviewer").post("/releases/1", {"do": "roll_back", "reason": "Wrong", "template": [ONE, TWO]})
    assert answer.status_code == 409
    assert "had no other version before" in read_html(answer)
    assert browser("reviewer").post("/releases/1", {"do": "roll_back", "reason": "Wrong"}).status_code == 422


def test_a_press_of_no_button_is_refused(release, browser):
    assert browser("author").post("/releases/1", {}).status_code == 422


def test_an_owner_is_asked_of_a_release_with_those_who_are_chosen(reply, browser):
    rules.set_rules(
        actor=reply.actor("admin"), namespace="support", owners=[{"pattern": "refunds/*", "people": ["reviewer"]}]
    )
    page = read_html(browser("author").get("/releases/new/support/refunds/?from=latest&to=production"))
    assert "owner, always asked" in page
    fields = {"from_label": "latest", "label": "production", "title": "One", "template": [REPLY]}
    refused = browser("author").post("/releases/new/support/refunds/", {**fields, "reviewers": ["reader"]})
    assert (refused.status_code, Release.objects.count()) == (422, 0)
    browser("author").post("/releases/new/support/refunds/", {**fields, "reviewers": ["admin"]})
    assert list(Release.objects.get().members.get().asked) == ["reviewer", "admin"]


def test_a_release_is_proposed_from_a_folder(reply, browser):
    reply.save(name=SUMMARY)
    page = read_html(browser("author").get("/releases/new/support/refunds/?from=latest&to=production"))
    assert "Propose release" in page
    answer = browser("author").post(
        "/releases/new/support/refunds/",
        {
            "from_label": "latest",
            "label": "production",
            "title": "Both",
            "template": [REPLY, SUMMARY],
        },
    )
    assert answer["Location"] == "/releases/1"
    assert Release.objects.get().members.count() == 2


def test_left_out_templates_are_named_with_the_reason(reply, browser):
    reply.publish(2)
    page = read_html(browser("author").get("/releases/new/support/?from=latest&to=production"))
    assert "Nothing to promote. production has everything from latest." in page
    assert "Left out" in page
    assert "production already serves exactly this." in page


@pytest.mark.parametrize(
    "address",
    ["/releases/new/support/?from=latest&to=production", f"/releases/new/?from=latest&to=production&template={ONE}"],
)
def test_a_template_in_another_release_links_to_it(release, browser, address):
    page = read_html(browser("author").get(address))
    assert '<a href="/releases/1">Release 1 already proposes version 1.</a>' in page
    assert "production has everything from latest" not in page


def test_no_template_chosen_and_no_title_are_refused_with_the_form(reply, browser):
    answer = browser("author").post(
        "/releases/new/support/", {"from_label": "latest", "label": "production", "title": ""}
    )
    assert answer.status_code == 422
    assert "Choose at least one template." in read_html(answer)


def test_where_nothing_is_protected_there_is_nothing_to_release(desk, browser):
    desk.save(name="demo/x")
    assert "No label is protected here" in read_html(browser("author").get("/releases/new/demo/"))


def test_folder_and_environments_lead_to_it(reply, browser):
    assert "/releases/new/support/" in browser("author").get("/t/support/").content.decode()
    assert "/releases/new/support/" in browser("author").get("/environments/").content.decode()
    assert "/releases/new/support/" not in browser("reader").get("/environments/").content.decode()


def test_the_list_shows_states(desk, release, browser):
    assert "Refund window" in read_html(browser("reader").get("/releases/"))
    assert "No releases match." in read_html(browser("reader").get("/releases/?state=published"))
    change_services.set_head(actor=desk.actor("author"), number=1, version=desk.save(OTHER, name=ONE).number)
    assert "Your turn" in read_html(browser("reviewer").get("/releases/"))


def test_comments_are_markdown_with_mentions_and_are_edited_and_deleted_by_their_writers(browser, release):
    reviewer = browser("reviewer")
    reviewer.post("/releases/1", {"do": "comment", "text": "Ask **@author** <b>now</b>"})
    page = read_html(reviewer.get("/releases/1"))
    assert '<strong><span class="mention">@author</span></strong> &lt;b&gt;now&lt;/b&gt;' in page
    assert 'data-mentions="/releases/1/people"' in page
    assert 'value="edit_comment"' in page
    assert 'value="edit_comment"' not in read_html(browser("author").get("/releases/1"))
    sent = {"do": "edit_comment", "thread": 0, "comment": 1, "comment_text": "Ask\r\nSaturday"}
    page = read_html(reviewer.post("/releases/1", sent, follow=True))
    assert "Comment changed. What it said before stays readable." in page
    assert "Edited" in page
    page = read_html(browser("author").post("/releases/1", {"do": "delete_comment", "comment": 1}))
    assert "nobody else edits or deletes it" in page
    page = read_html(reviewer.post("/releases/1", {"do": "delete_comment", "comment": 1}, follow=True))
    assert "Deleted by its author" in page
    assert "Saturday" not in page


def test_a_refused_edit_of_a_comment_comes_back_open_with_what_was_typed(browser, release):
    reviewer = browser("reviewer")
    reviewer.post("/releases/1", {"do": "comment", "text": "One"})
    reviewer.post("/releases/1", {"do": "comment", "text": "Two"})
    sent = {"do": "edit_comment", "thread": 0, "comment": 2, "comment_text": "long " * 3000}
    answer = reviewer.post("/releases/1", sent)
    assert answer.status_code == 413
    page = read_html(answer)
    assert "> long long" in page
    assert "> One</textarea>" in page
    assert page.count('class="comment-edit" open>') == 1


def test_whom_a_release_can_mention_is_listed_for_who_may_comment(browser, release):
    names = [result["name"] for result in browser("author").get("/releases/1/people").json()["results"]]
    assert "reviewer" in names


def test_the_page_shows_what_the_model_reads_of_each_template(desk, release, browser):
    """The rendered text comes first if there is a sample to render; the source is one tab away."""
    page = read_html(browser("reader").get("/releases/1"))
    assert page.count("v1, all new") == 2
    assert "No samples, so nothing to render. Showing the source." in page
    samples.save_samples(actor=desk.actor("author"), name=ONE, samples=SAMPLES)
    rendered = browser("reader").get("/releases/1")
    assert rendered.content.decode().count('class="diff diff-rendered sheet"') == 1
    source = browser("reader").get("/releases/1?view=source")
    assert 'class="diff diff-rendered sheet"' not in source.content.decode()
    assert source.content.decode().count('class="diff diff-source sheet') == 2


def test_a_row_says_how_much_the_template_changes_and_that_it_was_not_evaluated(desk, release, browser):
    """The first version is all new: each of its lines counts, and tokens count once there is a sample."""
    page = read_html(browser("reader").get("/releases/1"))
    assert len(re.findall(r">\d+ lines</a>", page)) == 2
    assert page.count("not evaluated") == 2
    samples.save_samples(actor=desk.actor("author"), name=ONE, samples=SAMPLES)
    assert re.search(r">\d+ lines, \+\d+ tokens", read_html(browser("reader").get("/releases/1")))


def test_its_description_is_read_as_markdown(release, browser):
    Release.objects.update(description="**Legal** said <b>so</b>")
    page = browser("reader").get("/releases/1").content.decode()
    assert "<strong>Legal</strong> said &lt;b&gt;so&lt;/b&gt;" in page


def test_past_the_most_differences_a_page_leads_to_the_change(release, browser, monkeypatch):
    monkeypatch.setattr(member_differences, "MAX_SHOWN", 1)
    page = browser("reader").get("/releases/1")
    assert page.content.decode().count('class="diff diff-source sheet') == 1
    assert "Not shown on this page, which shows the first differences only." in read_html(page)


def test_the_page_says_which_services_it_reaches_and_which_stay(release, desk, browser):
    assert "No service fetched production in the last 30 days." in read_html(browser("reader").get("/releases/1"))
    now = datetime.now(UTC)
    for service, ref, count in (("chat", "production", 7000), ("chat", "1", 7), ("mail", "1", 70)):
        key = Key.objects.filter(name=service).first()
        if key is None:
            key = keys.issue_key(
                actor=desk.actor("admin"), namespace="support", name=service, scope="read", person="author"
            ).key
        for name in (ONE, TWO) if service == "chat" and ref == "production" else (ONE,):
            version = Version.objects.get(template__name=name, number=1)
            Fetch.objects.create(key=key, version=version, ref=ref, day=now.date(), count=count, last_at=now)
    members = Release.objects.get().members.select_related("template__namespace")
    assert list_affected_services("production", list(members)) == [
        ServiceRow("chat", 2, 2000),
        ServiceRow("mail", 0, 10, "one v1"),
    ]
    page = " ".join(read_html(browser("reader").get("/releases/1")).split())
    assert page.index("<b>chat</b>") < page.index("<b>mail</b>") < page.index("stays on one v1")


def test_a_published_release_names_no_services_any_more(release, browser):
    browser("reviewer").post("/releases/1", {"do": "approve", "digest": approvals(release)})
    browser("author").post("/releases/1", {"do": "publish"})
    assert "Services affected" not in read_html(browser("reader").get("/releases/1"))
