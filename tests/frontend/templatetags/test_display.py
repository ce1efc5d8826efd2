"""Times, numbers and digests as words."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.template import Context, Template
from django.utils import translation
from django.utils.formats import date_format, get_format

from frontend.templatetags import display, figures
from frontend.web import wording
from frontend.web.wording import format_time_lasted, format_time_since

ROOT = Path(__file__).resolve().parents[3]
NOW = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("passed", "words"),
    [
        (timedelta(seconds=5), "just now"),
        (timedelta(minutes=20), "20 min ago"),
        (timedelta(hours=2, minutes=59), "2 h ago"),
        (timedelta(hours=30), "yesterday"),
        (timedelta(days=9), "9 days ago"),
        (timedelta(weeks=3), "3 weeks ago"),
        (timedelta(weeks=9), "20 Sep"),
        (timedelta(days=700), "22 Dec 2024"),
        (timedelta(days=-3), "25 Nov"),
    ],
)
def test_times_are_relative_up_to_eight_weeks(passed, words):
    assert format_time_since(NOW - passed, NOW) == words


@pytest.mark.parametrize(
    ("passed", "words"),
    [
        (timedelta(seconds=5), "for less than a minute"),
        (timedelta(hours=3), "for 3 h"),
        (timedelta(hours=30), "for a day"),
        (timedelta(weeks=3), "for 3 weeks"),
        (timedelta(weeks=9), "since 20 Sep"),
    ],
)
def test_a_duration_is_written_in_one_unit(passed, words):
    assert format_time_lasted(NOW - passed, NOW) == words


def test_numbers_are_written_as_the_language_of_the_page_has_them():
    with translation.override("de"):
        assert (wording.format_thousands(1234), figures.percent(0.025)) == ("1.234", "2,5\N{NO-BREAK SPACE}%")
        assert (wording.format_signed(-1234), figures.short(54_100)) == ("−1.234", "54,1 k")


def test_dates_are_written_as_the_language_of_the_page_has_them():
    with translation.override("de"):
        assert format_time_since(NOW - timedelta(days=700), NOW) == "22. Dez. 2024"
        assert 'title="22. November 2026, 12:00:00 UTC"' in display.ago(NOW)
        assert date_format(NOW, "j M Y, H:i T") == "22. Nov. 2026, 12:00 UTC"
        assert date_format(NOW, "D j M H:i") == "So 22. Nov. 12:00"
    assert date_format(NOW, "j M Y, H:i T") == "22 Nov 2026, 12:00 UTC"


FORMATS_ALIKE = {"c", "D", "D H:i", "F", "F Y", "j", "M", "Y", "Y-m-d", r"Y-m-d\TH:i"}


def test_each_date_format_of_a_template_has_a_german_one():
    """A format with the number of a day, which German writes with a full stop."""
    used = {
        written
        for path in (ROOT / "frontend/templates").rglob("*.html")
        for written in re.findall(r"""\|date:["']([^"']+)["']""", path.read_text(encoding="utf-8"))
    }
    assert [written for written in used - FORMATS_ALIKE if get_format(written, "de") == written] == []


def test_a_time_carries_its_exact_moment():
    assert 'title="22 November 2026, 12:00:00 UTC"' in display.ago(NOW)


@pytest.mark.parametrize(("number", "words"), [(1234, "+1,234"), (-38, "−38"), (0, "0")])
def test_differences_carry_a_true_sign(number, words):
    assert wording.format_signed(number) == words


def test_a_digest_is_shown_in_two_groups():
    shown = display.digest("sha256:4be107c2a95fd3e8")
    assert (shown["first"], shown["second"]) == ("4be1", "07c2")


@pytest.mark.parametrize(
    ("text", "expected_text"),
    [
        ("in the worst case it is too long", "In the worst case it is too long."),
        ("`order_id` is new", "<code>order_id</code> is new."),
        ("order_id is new", "order_id is new."),
        ("Say what: a < b.", "Say what: a &lt; b."),
        ("a lone ` stays", "A lone ` stays."),
    ],
)
def test_a_finding_is_shown_as_a_sentence(text, expected_text):
    assert wording.format_finding(text) == expected_text


@pytest.mark.parametrize(
    ("text", "expected_text"),
    [
        ("support has no releases until Monday.", "support has no releases until Monday."),
        ("The check `budget` failed: a < b.", "The check <code>budget</code> failed: a &lt; b."),
    ],
)
def test_a_full_sentence_keeps_the_letters_of_the_name_it_begins_with(text, expected_text):
    assert wording.format_sentence(text) == expected_text


def test_a_captured_tag_is_in_a_translated_sentence_as_markup():
    source = (
        "{% load display i18n %}{% capture as label %}{% pill name True %}{% endcapture %}"
        "{% blocktranslate %}to {{ label }} of {{ name }}{% endblocktranslate %}"
    )
    shown = Template(source).render(Context({"name": "<prod>"}))
    assert '<span class="pill pill-protected"' in shown
    assert shown.endswith(" of &lt;prod&gt;")
    assert "<prod>" not in shown
