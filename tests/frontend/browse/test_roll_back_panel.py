"""The roll back panel: which version it chooses first, and how it marks those that were rolled back."""

import re

import pytest

from registry.templates import labels
from registry.templates.label_models import Label
from tests.frontend.conftest import OTHER, REPLY, read_html

PANEL = f"/t/{REPLY}/-/labels?label=production"
NONE_LEFT = "production was rolled back from or past every other version that it held by approval."


@pytest.fixture
def live(reply):
    """Versions 1, 2 and 3 were published in turn."""
    reply.save(OTHER + "\n", message="Third words")
    for number in (2, 3):
        reply.publish(number)
    return reply


@pytest.fixture
def roll_back(live):
    return lambda version, reason="Wrong answers": labels.roll_back_label(
        actor=live.actor("reviewer"), name=REPLY, label="production", version=version, reason=reason
    )


def read_chosen(page):
    """The version that the panel's button rolls back to; None without a button."""
    match = re.search(r"Roll back to v(\d+)</button>", page)
    return int(match[1]) if match else None


@pytest.fixture
def open_panel(browser):
    return lambda query="": read_html(browser("reviewer").get(f"{PANEL}{query}"))


def test_reloaded_after_a_roll_back_it_chooses_the_last_good_version(roll_back, open_panel):
    assert read_chosen(open_panel("&version=2")) == 2
    roll_back(2)
    assert read_chosen(open_panel("&version=2")) == 1


def test_without_an_earlier_version_none_is_chosen(roll_back, open_panel):
    roll_back(1)
    for query in ("", "&version=1", "&version=3", "&version=9"):
        page = open_panel(query)
        assert read_chosen(page) is None, query
        assert NONE_LEFT in page


def test_an_old_address_does_not_choose_what_was_rolled_back_since(roll_back, open_panel):
    roll_back(2), roll_back(1)
    assert read_chosen(open_panel("&version=3&from=2")) is None
    assert read_chosen(open_panel("&version=2&from=3")) is None


def test_the_panels_list_marks_it_and_leads_to_it(roll_back, open_panel):
    roll_back(2, "It insulted people")
    page = open_panel()
    assert f"{PANEL.replace('&', '&amp;')}&amp;version=3&amp;from=2" in page
    assert len(re.findall(r"rolled back <time[^>]*>[^<]*</time> by reviewer: It insulted people", page)) == 1
    assert read_chosen(open_panel("&version=3&from=2")) == 3


def test_a_version_that_came_again_is_not_marked(roll_back, open_panel):
    roll_back(2), roll_back(3)
    page = open_panel()
    assert (read_chosen(page), "rolled back <time" in page.partition("Back to")[2]) == (2, False)


def test_a_refused_form_keeps_the_version_that_was_chosen(roll_back, browser):
    roll_back(2)
    sent = {"label": "production", "version": 3, "expected": 2, "reason": "", "do": "roll_back"}
    answer = browser("reviewer").post(f"/t/{REPLY}/-/labels", sent)
    assert (answer.status_code, read_chosen(read_html(answer))) == (422, 3)
    assert Label.objects.get(name="production").version.number == 2
