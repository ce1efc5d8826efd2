"""The conversation of a release, and what becomes of changes that join one."""

import pytest

from registry.changes import decisions, revisions
from registry.changes import services as change_services
from registry.releases import proposals
from registry.releases import services as release_services
from registry.releases.plans import ReleaseSelection
from tests.frontend.conftest import read_html

ONE, TWO = "support/refunds/one", "support/two"


def _propose(desk, role: str = "author"):
    return proposals.propose_release(
        actor=desk.actor(role),
        namespace="support",
        label="production",
        title="Both",
        selection=ReleaseSelection(versions={ONE: 1, TWO: 1}),
    ).release


def _find_digests(release) -> dict[int, str]:
    return {member.number: member.version.digest for member in release.members.select_related("version")}


def _propose_alone(desk):
    """An approved change of one of the templates."""
    change = change_services.propose_change(
        actor=desk.actor("author"), name=ONE, label="production", version=1, message="Alone"
    )
    decide = {"actor": desk.actor("reviewer"), "number": change.number, "digest": change.version.digest}
    decisions.decide_on_change(**decide, decision="approve", text="Before the release")
    return change


def _read_story(browser, path: str = "/releases/1") -> str:
    page = read_html(browser("reviewer").get(path))
    return page.partition('<ol class="timeline">')[2].partition("</section>")[0]


@pytest.fixture
def saved(desk):
    for name in (ONE, TWO):
        desk.save(name=name)
    return desk


def test_the_words_of_a_decision_on_several_templates_are_there_once(saved, browser):
    release = _propose(saved)
    fields = {"actor": saved.actor("reviewer"), "number": 1, "digests": _find_digests(release)}
    release_services.ask_for_release_edits(**fields, text="Say **45 days**.")
    story = _read_story(browser)
    assert "asked for edits of refunds/one v1, two v1" in story
    assert story.count("<strong>45 days</strong>") == 1
    release_services.approve_release(**fields, text="Now it is right")
    story = _read_story(browser)
    assert "approved refunds/one v1, two v1" in story
    assert story.index("opened the release") < story.index("45 days") < story.index("Now it is right")


def test_an_edited_or_deleted_text_reads_as_it_does_in_the_change(saved, browser):
    release = _propose(saved)
    reviewer, digests = saved.actor("reviewer"), _find_digests(release)
    release_services.approve_release(actor=reviewer, number=1, digests=digests, text="Frist words")
    comment = {"actor": reviewer, "number": min(digests), "thread": 0, "comment": 1}
    revisions.edit_comment(**comment, text="First words")
    assert "First words" in _read_story(browser)
    revisions.delete_comment(**comment)
    story = _read_story(browser)
    assert "words" not in story
    assert "Deleted by its author" in story


def test_decisions_of_two_acts_are_separate_and_those_before_the_release_are_left_out(saved, browser):
    _propose_alone(saved)
    digests = _find_digests(_propose(saved))
    for number, digest in digests.items():
        text = f"About {number}"
        release_services.approve_release(actor=saved.actor("admin"), number=1, digests={number: digest}, text=text)
    story = _read_story(browser)
    assert "Before the release" not in story
    assert all(f"About {number}" in story for number in digests)


def test_the_panel_names_the_approved_change_that_would_join(saved, browser):
    _propose_alone(saved)
    panel = read_html(browser("admin").get("/releases/new/support/?from=latest&to=production"))
    said = '<a href="/changes/1">change 1</a> by author, approved, joins: it is published or withdrawn with the release'
    assert (panel.count(said), panel.count("joins")) == (1, 1)


def test_the_conversation_of_the_change_says_that_it_joined_and_leads_to_the_release(saved, browser):
    _propose_alone(saved)
    _propose(saved, "admin")
    story = _read_story(browser, "/changes/1?view=conversation")
    assert "made the change part of release 1: it is published or withdrawn with it" in story
    assert '<a href="/releases/1">Open the release</a>' in story


def test_before_a_withdrawal_the_page_names_the_changes_that_were_open_before_the_release(saved, browser):
    _propose_alone(saved)
    _propose(saved, "admin")
    page = read_html(browser("admin").get("/releases/1"))
    assert 'Withdraws <a href="/changes/1">change 1</a> of refunds/one too, by author, approved.' in page
    assert page.count("Remove it from the release first to keep it open.") == 1
    assert "Withdraws <a" not in read_html(browser("reader").get("/releases/1"))


def test_a_release_of_changes_that_it_opened_names_none(saved, browser):
    _propose(saved)
    assert "Withdraws <a" not in read_html(browser("author").get("/releases/1"))


def test_entries_about_a_removed_change_stay_in_both_histories(saved, browser):
    change = _propose_alone(saved)
    release = _propose(saved)
    fields = {"actor": saved.actor("reviewer"), "number": 1, "digests": _find_digests(release)}
    release_services.ask_for_release_edits(**fields, text="Say 45 days.")
    author = saved.actor("author")
    proposals.remove_from_release(actor=author, number=1, change=change.number)
    decide = {"actor": saved.actor("reviewer"), "number": change.number, "digest": change.version.digest}
    decisions.decide_on_change(**decide, decision="approve", text="After the release")
    story = _read_story(browser)
    assert "asked for edits of refunds/one v1, two v1" in story
    assert f"removed change {change.number} from the release" in story
    assert "After the release" not in story
    story = _read_story(browser, f"/changes/{change.number}?view=conversation")
    assert story.index("made the change part of release 1") < story.index("removed the change from release 1")
    saved.save(name="support/late")
    proposals.add_to_release(actor=author, number=1, versions={"support/late": 1})
    [second] = [number for number in fields["digests"] if number != change.number]
    proposals.remove_from_release(actor=author, number=1, change=second)
    assert "opened the release" in _read_story(browser)
