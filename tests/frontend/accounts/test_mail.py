"""The page on which people choose their mail notifications."""

import pytest

from registry.notifications.models import Watch
from tests.frontend.conftest import read_html


@pytest.fixture
def reader(desk, browser):
    return browser("reader")


def test_a_wish_is_kept_and_forgotten(reader):
    page = read_html(
        reader.post("/mail", {"namespace": "support", "template": "refunds/*", "level": "all"}, follow=True)
    )
    assert "<code>refunds/*</code>" in page
    page = read_html(reader.post("/mail", {"namespace": "support", "template": "refunds/*", "level": ""}, follow=True))
    assert "No choices yet" in page


def test_a_pattern_without_a_namespace_is_refused_and_kept_in_the_form(reader):
    answer = reader.post("/mail", {"template": "refunds/*", "level": "all"})
    assert answer.status_code == 422
    assert "Say in which namespace" in read_html(answer)
    assert 'value="refunds/*"' in read_html(answer)


def test_a_strangers_namespace_is_not_found(desk, browser):
    answer = browser("outsider").post("/mail", {"namespace": "support", "level": "all"})
    assert answer.status_code == 404
    assert not Watch.objects.exists()


def test_the_page_says_when_no_mail_is_sent(reader, settings):
    settings.MAIL_IS_SENT = False
    assert "no mail server is set up" in read_html(reader.get("/mail"))
