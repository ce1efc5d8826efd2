"""How a redacted version is shown."""

import pytest

from registry.redaction import services as redaction_services
from tests.frontend.conftest import REPLY, read_html


@pytest.fixture
def redacted(reply):
    redaction_services.redact_version(
        actor=reply.actor("admin"), name=REPLY, version=1, reason="It held a name", force=True
    )
    return reply


@pytest.mark.parametrize("address", [f"/t/{REPLY}?ref=1", f"/t/{REPLY}/-/diff?from=1&to=2"])
def test_its_pages_say_when_by_whom_and_why(redacted, browser, address):
    answer = browser("reader").get(address)
    assert answer.status_code == 410
    assert "by admin: It held a name" in read_html(answer)


def test_the_history_marks_it(redacted, browser):
    page = read_html(browser("reader").get(f"/t/{REPLY}/-/versions"))
    assert "Redacted by admin" in page
    assert "It held a name" in page


def test_a_template_whose_latest_went_is_edited_from_nothing(redacted, browser):
    redaction_services.redact_version(
        actor=redacted.actor("admin"), name=REPLY, version=2, reason="And this one", force=True
    )
    answer = browser("author").get(f"/t/{REPLY}/-/edit")
    assert answer.status_code == 200
