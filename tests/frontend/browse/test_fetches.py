"""Who fetched what, on the template page and on a separate page."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from registry.accounts.models import Key
from registry.namespaces import keys
from registry.templates.models import Version
from registry.usage import outcomes
from registry.usage.models import Fetch, OutcomeTotal, Report
from registry.usage.outcomes import OutcomeEntry
from tests.frontend.conftest import REPLY, read_html

pytestmark = pytest.mark.dialect


@pytest.fixture
def fetch(reply):
    """`fetch("chat", 2, "production", 1234)`: so many fetches of a version today, or some days ago."""
    for name in ("chat", "mail"):
        keys.issue_key(actor=reply.actor("admin"), namespace="support", name=name, scope="read")

    def count(service: str, number: int, ref: str, times: int, days_ago: int = 0) -> None:
        moment = datetime.now(UTC) - timedelta(days=days_ago)
        version = Version.objects.get(template__name=REPLY, number=number)
        Fetch.objects.create(
            key=Key.objects.get(name=service), version=version, ref=ref, day=moment.date(), count=times, last_at=moment
        )

    return count


def test_a_template_without_fetches_is_marked(reply, browser):
    assert "No service fetched it in the last 7 days." in read_html(browser("reader").get(f"/t/{REPLY}"))


def test_the_list_draws_the_fetches_of_the_last_week_next_to_each_template(fetch, browser):
    client = browser("reader")
    assert 'class="sparkline"' not in read_html(client.get("/t/"))
    for days_ago, times in ((0, 1_000), (6, 54_000), (7, 5)):
        fetch("chat", 1, "production", times, days_ago)
    page = read_html(client.get("/t/"))
    assert 'points="2.0,2.0 12.3,12.0 22.7,12.0 33.0,12.0 43.3,12.0 53.7,12.0 64.0,11.8"' in page
    assert '<span title="55,000">55.0 k</span>' in page


def test_each_service_is_listed_with_what_it_asks_for_and_gets(fetch, browser):
    fetch("chat", 1, "production", 54_120)
    page = read_html(browser("reader").get(f"/t/{REPLY}"))
    assert '<td class="cut" title="chat">chat</td><td>production</td><td class="number"><b>v1</b></td>' in page
    assert '<td class="number" title="54,120">54.1 k</td>' in page
    assert "<title>v1: 54,120 fetches</title>" in page


def test_a_pin_behind_what_is_live_is_reported(fetch, reply, browser):
    reply.publish(2)
    fetch("mail", 1, "1", 3, 2)
    fetch("chat", 2, "production", 9)
    assert "mail is pinned to v1, one behind production." in read_html(browser("reader").get(f"/t/{REPLY}"))


def test_the_page_of_its_own_has_thirty_days_and_the_sums_by_label(fetch, browser):
    fetch("chat", 1, "production", 10, 20)
    fetch("mail", 1, "1", 4)
    page = read_html(browser("reader").get(f"/t/{REPLY}/-/fetches"))
    assert 'Asked for by production <span title="10">10</span>, by number or digest <span title="4">4</span>.' in page
    assert "<b>mail</b>" in page
    assert "No client has reported a rendering." in page


def test_client_reports_are_listed_by_version(fetch, browser):
    version = Version.objects.get(template__name=REPLY, number=1)
    Report.objects.create(
        key=Key.objects.get(name="chat"),
        version=version,
        day=datetime.now(UTC).date(),
        renders=1200,
        cut=60,
        failures='{"PT301": 2}',
        tokens='{"820": 9, "1300": 1}',
        inputs='{"question": 1200}',
        last_at=datetime.now(UTC),
    )
    page = read_html(browser("reader").get(f"/t/{REPLY}/-/fetches"))
    assert '<td class="number" title="PT301: 2">2' in page
    assert "<td>question</td><td>chat" in page
    assert "60 (5.0 %)" in page
    assert '<td class="number">820</td><td class="number">1,300</td>' in page


def test_scores_of_replies_are_listed_by_version_with_their_interval(reply, browser):
    version = Version.objects.get(template__name=REPLY, number=1)
    entries = [OutcomeEntry(REPLY, version.digest, "helpful", float(number < 30)) for number in range(40)]
    outcomes.add_outcomes(
        actor=reply.actor("author"), entries=[*entries, OutcomeEntry(REPLY, version.digest, "tone", 2.5)]
    )
    page = read_html(browser("reader").get(f"/t/{REPLY}/-/fetches"))
    cells = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))
    assert "v1 helpful 75 % 60 % to 86 % no earlier one 40 people just now" in cells
    assert "v1 tone 2.50 from 30 replies on no earlier one 1 people" in cells


def test_a_template_whose_replies_nobody_scored_says_how(reply, browser):
    page = read_html(browser("reader").get(f"/t/{REPLY}/-/fetches"))
    assert "No reply was scored." in page


def test_the_page_says_who_fetches_by_the_label_before_a_roll_back(fetch, reply, browser):
    reply.publish(2)
    fetch("chat", 2, "production", 1200, 1)
    fetch("mail", 1, "1", 7, 1)
    page = read_html(browser("reviewer").get(f"/t/{REPLY}/-/labels?label=production"))
    assert "172 fetches a day switch to v1, " in page


def test_the_page_says_what_a_key_fetches_before_it_is_revoked(fetch, browser):
    fetch("chat", 1, "production", 1200, 1)
    assert "fetched 1,200 times yesterday, 1 version" in read_html(browser("admin").get("/n/support/keys"))


def test_the_form_that_revokes_a_key_lists_its_templates(fetch, browser):
    fetch("chat", 1, "production", 1200, 1)
    key = Key.objects.get(name="chat")
    page = read_html(browser("admin").get(f"/n/support/keys?revoke={key.id}"))
    assert "It fetched 1200 times in the last 30 days" in page or "It fetched 1,200 times in the last 30 days" in page
    assert "chat made 172 fetches a day in the last seven days. They will be refused." in page
    assert f'<a class="plain-link" href="/t/{REPLY}">{REPLY}</a></th><td class="number">1,200</td>' in page


def test_an_outsider_gets_404(fetch, browser):
    assert browser("outsider").get(f"/t/{REPLY}/-/fetches").status_code == 404


@pytest.fixture
def score(reply, browser):
    """Send the form that scores a reply, as somebody."""

    def send(person="reader", **values):
        fields = {"version": "1", "name": "helpful", "value": "1", **values}
        return browser(person).post(f"/t/{REPLY}/-/fetches", fields)

    return send


def counted():
    rows = OutcomeTotal.objects.order_by("name")
    return [(row.version.number, row.name, row.by_person, row.count, row.total) for row in rows]


def test_a_person_scores_a_reply_in_the_browser(score, browser):
    answer = score(trace_id="reply-8213")
    assert (answer.status_code, answer["Location"]) == (302, f"/t/{REPLY}/-/fetches#scores")
    assert counted() == [(1, "helpful", True, 1, 1.0)]
    page = read_html(browser("reader").get(f"/t/{REPLY}/-/fetches"))
    assert "<b>helpful</b>" in page
    assert "people" in page


def test_a_second_score_of_a_trace_id_replaces_the_first(score):
    score(trace_id="reply-8213")
    score(trace_id="reply-8213", value="0", person="reviewer")
    assert counted() == [(1, "helpful", True, 1, 0.0)]


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"name": "Very Helpful"}, "can&#x27;t name a score"),
        ({"value": "many"}, "Enter a number."),
        ({"value": "nan"}, "Enter a number."),
        ({"value": "10000000"}, "less than or equal to"),
        ({"version": "99"}, "Select a valid choice"),
        ({"trace_id": "x" * 101}, "at most 100 characters"),
    ],
)
def test_an_invalid_score_is_in_the_form_with_its_reason(score, values, sentence):
    answer = score(**values)
    assert answer.status_code == 422
    assert sentence in answer.content.decode()
    assert counted() == []


def test_the_form_begins_with_what_the_address_says(reply, browser):
    page = browser("reader").get(f"/t/{REPLY}/-/fetches", {"version": "2", "trace": "reply-1", "score": "kind"})
    text = page.content.decode()
    assert 'value="reply-1"' in text
    assert 'value="kind"' in text
    assert re.search(r'<option value="2"[^>]*selected', text)


def test_an_outsider_scores_nothing(score):
    assert score(person="outsider").status_code == 404
    assert counted() == []
