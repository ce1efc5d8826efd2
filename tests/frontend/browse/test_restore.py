"""Going back to an older version in the browser: the banner, restoring, and starting a draft."""

import pytest

from registry.templates import archive, drafts
from registry.templates import queries as template_queries
from registry.templates.models import Version
from tests.frontend.conftest import DOCUMENT, OTHER, REPLY, read_html

PAGE = f"/t/{REPLY}"
THIRD = OTHER.replace("Quote the policy", "Name the policy")


def _newest():
    return Version.objects.filter(template__name=REPLY).order_by("-number").first()


def test_an_old_version_says_so_with_its_two_buttons(reply, browser):
    page = read_html(browser("author").get(f"{PAGE}?ref=1"))
    assert "You are reading <b>v1</b>; the newest is" in page
    assert f'href="{PAGE}/-/restore?ref=1"' in page
    assert "Start a draft from v1" in page


@pytest.mark.parametrize("query", ["", "?ref=2", "?ref=latest"])
def test_other_pages_of_a_template_have_no_banner(reply, browser, query):
    assert "You are reading" not in read_html(browser("author").get(PAGE + query))


def test_a_reader_gets_the_banner_without_buttons(reply, browser):
    page = read_html(browser("reader").get(f"{PAGE}?ref=1"))
    assert "You are reading <b>v1</b>" in page
    assert "Restore v1" not in page
    assert "Restore" not in read_html(browser("reader").get(f"{PAGE}/-/versions"))


def test_an_archived_template_offers_neither(reply, browser):
    reply.publish(2)
    archive.archive_template(actor=reply.actor("admin"), name=REPLY, reason="Unused", force=True)
    assert "Restore v1" not in read_html(browser("author").get(f"{PAGE}?ref=1"))
    assert f"{PAGE}/-/restore" not in read_html(browser("author").get(f"{PAGE}/-/versions"))


def test_the_history_offers_all_but_the_newest(reply, browser):
    page = read_html(browser("author").get(f"{PAGE}/-/versions"))
    assert f'href="{PAGE}/-/restore?ref=1"' in page
    assert f'href="{PAGE}/-/restore?ref=2"' not in page


def test_the_page_shows_what_a_restore_changes(reply, browser):
    page = read_html(browser("author").get(f"{PAGE}/-/restore?ref=1"))
    assert "v2 to v1: 1 line added, 1 removed" in page
    assert "Restore v1 as v3" in page
    assert 'value="Restore v1"' in page


def test_a_restore_saves_the_old_text_as_the_newest_version(reply, browser):
    sent = {"ref": "1", "base": _newest().digest, "message": "Back to the first words"}
    answer = browser("author").post(f"{PAGE}/-/restore", sent, follow=True)
    assert answer.redirect_chain[-1][0] == f"{PAGE}?ref=3"
    assert "v3 now has the text of v1." in read_html(answer)
    assert (_newest().document, _newest().message) == (DOCUMENT, "Back to the first words")


def test_a_version_saved_meanwhile_is_compared_first(reply, browser):
    before = _newest().digest
    reply.save(THIRD)
    answer = browser("author").post(f"{PAGE}/-/restore", {"ref": "1", "base": before, "message": "My words"})
    page = read_html(answer)
    assert answer.status_code == 412
    assert "A newer version was saved meanwhile." in page
    assert "v3 to v1:" in page
    assert 'value="My words"' in page
    assert _newest().number == 3


def test_the_text_of_the_newest_version_is_not_restored(reply, browser):
    reply.save(DOCUMENT)
    client = browser("author")
    assert "There is nothing to restore." in read_html(client.get(f"{PAGE}/-/restore?ref=1"))
    answer = client.post(f"{PAGE}/-/restore", {"ref": "1", "base": _newest().digest})
    assert answer.status_code == 409
    assert "says the same already" in read_html(answer)


def test_samples_that_do_not_fit_are_named_and_a_draft_is_offered(desk, browser):
    desk.save()
    desk.save(DOCUMENT.replace("{type: string, maxLength: 4000, untrusted: true}", "{type: integer}"), samples={})
    desk.save(
        DOCUMENT.replace("{type: string, maxLength: 4000, untrusted: true}", "{type: integer, minimum: 1}"),
        samples={"seven": {"question": 7}},
    )
    answer = browser("author").post(f"{PAGE}/-/restore", {"ref": "1", "base": _newest().digest})
    page = read_html(answer)
    assert answer.status_code == 422
    assert "v1 doesn't pass today's checks" in page
    assert "sample seven" in page
    assert f'formaction="{PAGE}/-/start-draft"' in page


def test_a_draft_starts_from_an_old_version(reply, browser):
    answer = browser("author").post(f"{PAGE}/-/start-draft", {"ref": "1"}, follow=True)
    page = read_html(answer)
    assert answer.redirect_chain[-1][0] == f"{PAGE}/-/edit"
    assert "Your draft has the text of v1 now." in page
    assert "Use only the policy." in page
    assert 'name="base" value="2"' in page


def test_a_draft_from_an_old_version_is_announced_in_the_language_of_the_page(reply, browser):
    client = browser("author")
    sent = {"ref": "1"}
    for number in (1, 2):
        answer = client.post(f"{PAGE}/-/start-draft", sent, follow=True, headers={"Accept-Language": "de"})
        assert f"Ihr Entwurf hat jetzt den Text von v{number}." in read_html(answer)
        sent = {"ref": "2"}
    assert "Der Entwurf davor kann hier 30 Tage lang wiederhergestellt werden." in read_html(answer)


def test_the_draft_that_was_there_is_offered_again(reply, browser):
    author, client = reply.actor("author"), browser("author")
    drafts.save_draft(actor=author, namespace="support", path="refunds/reply", document=THIRD, base=2)
    page = read_html(client.post(f"{PAGE}/-/start-draft", {"ref": "1"}, follow=True))
    assert "The draft you had before can be restored here for 30 days." in page
    assert 'value="restore-draft"' in page
    client.post(f"{PAGE}/-/edit", {"do": "restore-draft"})
    assert template_queries.find_draft(author, REPLY).document == THIRD


@pytest.mark.parametrize(("ref", "status"), [("", 422), ("9", 404), ("nonsense!", 422)])
def test_a_version_that_there_is_not_is_refused(reply, browser, ref, status):
    client = browser("author")
    assert client.get(f"{PAGE}/-/restore", {"ref": ref}).status_code == status
    assert client.post(f"{PAGE}/-/start-draft", {"ref": ref}).status_code == status
