"""The panel, the API and `promptuary propose --dry-run` show the same facts and figures about a proposal."""

import re
from html import unescape
from html.parser import HTMLParser

import pytest

from promptuary.commands.label_preview import _tell_services, _tell_suggested_run, tell_preview
from registry.changes import check_results, rules
from registry.changes import services as change_services
from registry.evaluations.metric_titles import name_gates
from registry.templates import labels
from registry.usage.models import Fetch
from tests.frontend.changes.test_panel import fetched  # noqa: F401  # a fixture
from tests.frontend.conftest import OTHER, REPLY, read_html
from tests.support.finished_runs import GOLD, WORSE, attach_gates, save_rows, start_run

ADDRESS = f"/t/{REPLY}/-/propose?label=production&version=3"
PREVIEW = f"/api/v1/templates/{REPLY}/-/labels/production/preview?version=3"


class Tables(HTMLParser):
    """The rows of each table of a page, each as the texts of its cells."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self._is_in_cell = False
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("th", "td"):
            self.tables[-1][-1].append("")
            self._is_in_cell = True

    def handle_endtag(self, tag):
        if tag in ("th", "td"):
            self._is_in_cell = False

    def handle_data(self, data):
        if self._is_in_cell:
            cell = f"{self.tables[-1][-1][-1]} {data}"
            self.tables[-1][-1][-1] = " ".join(cell.split()).replace("\N{MINUS SIGN}", "-")


@pytest.fixture
def proposal(fetched, browser, capsys):  # noqa: F811
    """Version 3 is worse than what is live, and one of its metrics misses its gate. It contains the version of one open
    change; another change has to be merged. Gives the page, the API's answer and the lines of the terminal."""
    desk = fetched
    save_rows(desk)
    desk.save(WORSE)
    for ref in ("1", "3"):
        start_run(desk, ref, metrics=["squad_f1", "contains"])
    attach_gates(desk, "squad_f1 >= 0.9", pattern="refunds/reply")
    desk.propose(2)
    desk.save(OTHER.replace("Quote", "Cite"))
    desk.propose(4)
    rules.set_rules(actor=desk.actor("admin"), namespace="support", required_checks=["samples", "evaluation"])
    earlier = change_services.propose_change(
        actor=desk.actor("author"), name=REPLY, label="production", version=3, message="Earlier"
    )
    check_results.run_checks(number=earlier.number)
    change_services.withdraw_change(actor=desk.actor("author"), number=earlier.number, reason="Later")
    client = browser("author")
    body = client.get(PREVIEW).json()
    capsys.readouterr()
    tell_preview(body, as_json=False)
    return read_html(client.get(ADDRESS)), body, capsys.readouterr().err


def format_score(value: float | None) -> str:
    return "none" if value is None else f"{value:.2f}" if abs(value) < 10 else f"{value:.1f}"


def format_change(value: float) -> str:
    return format_score(abs(value)) if round(value, 2) == 0 else f"{value:+.2f}"


def test_services_and_fetches_a_day_are_the_same(proposal):
    page, body, lines = proposal
    rows = Tables(page).tables[-1][1:]
    assert [(row[0], row[2], row[3]) for row in rows] == [
        (
            service["service"],
            str(service["fetches_per_day"]),
            f"{'gets' if service['moves'] else 'stays on'} v{service['gets']}",
        )
        for service in body["services"]
    ]
    assert len(rows) == Fetch.objects.count() == 2
    for service in body["services"]:
        verb = "gets" if service["moves"] else "stays on"
        assert f"{service['service']} ({service['ref']}), {service['fetches_per_day']} a day: {verb} version" in lines
    moving, staying = body["fetches_moving"], body["fetches_staying"]
    assert f"{moving} fetches a day switch to v3, {staying} stay" in page
    assert f"{moving} fetches a day get it, {staying} stay:" in lines


def test_page_and_preview_name_the_same_evaluations(fetched, browser, capsys):  # noqa: F811
    desk = fetched
    save_rows(desk)
    desk.save(WORSE)
    attach_gates(desk, "squad_f1 >= 0.9", pattern="refunds/reply")
    labels.move_label(actor=desk.actor("author"), name=REPLY, label="staging", version=3, expected=None)
    client = browser("author")
    body = client.get(PREVIEW).json()
    run = body["suggested_run"]
    assert (run["dataset"], run["model"], run["rows"]) == (GOLD, "echo", 6)
    page = read_html(client.get(ADDRESS))
    assert f"Run {GOLD}</a>" in page
    cost = "cost not known: echo has no price"
    assert (run["cost"], cost in page) == (None, True)
    [other] = body["served_by"]
    assert (other["name"], other["protected"]) == ("staging", False)
    assert re.search(r", +on staging ", re.sub("<[^>]*>| +", " ", page))
    capsys.readouterr()
    tell_preview(body, as_json=False)
    lines = capsys.readouterr().err
    assert f"Not evaluated yet.\n  A run over {GOLD} with echo evaluates it: 6 rows, {cost}" in lines
    assert f"staging serves it already, since {other['since']}." in lines


@pytest.mark.parametrize(
    ("run", "line"),
    [
        ({"rows": 1, "cost": "1.5", "seconds": 20.0}, "1 row, about 1.50 EUR, about 1 minute."),
        ({"rows": 8, "cost": None, "seconds": 170.0}, "8 rows, cost not known: big has no price, about 3 minutes."),
    ],
)
def test_cost_and_minutes_of_a_suggested_run_are_reported(capsys, run, line):
    _tell_suggested_run({"dataset": "support/gold", "model": "big", "currency": "EUR", **run})
    assert f"A run over support/gold with big evaluates it: {line}" in capsys.readouterr().err


def test_one_fetch_a_day_is_shown_in_the_singular(capsys):
    service = {"service": "chat", "ref": "production", "fetches_per_day": 1, "moves": True, "gets": 2}
    _tell_services({"label": "production", "services": [service], "fetches_moving": 1, "fetches_staying": 2})
    assert "1 fetch a day gets it, 2 stay:" in capsys.readouterr().err


def test_every_metric_is_the_same(proposal):
    page, body, lines = proposal
    rows = Tables(page).tables[0][1:]
    metrics = body["evaluation"]["metrics"]
    assert len(rows) == len(metrics) > 1
    for row, metric in zip(rows, metrics, strict=True):
        interval = f"{format_change(metric['low'])} to {format_change(metric['high'])}"
        scores = [format_score(metric["before"]), format_score(metric["after"])]
        assert row[1:4] == [*scores, format_change(metric["difference"])]
        assert row[4] == f"95 % interval {interval}"
        in_words = metric["gate"].partition(" >= ")[2]
        assert row[5:] == [metric["reading"].capitalize(), f"at least {in_words}" if in_words else "no gate"]
        gate = f"gate {metric['gate']}, not reached" if metric["gate"] else "no gate"
        assert (
            f"{metric['metric']} {metric['target']}: {row[1]} to {row[2]} ({row[3]}, 95 %: {interval}), "
            f"{metric['reading']} ({gate})" in " ".join(lines.split())
        )
    losses = body["evaluation"]["worse_without_gate"]
    assert losses == sum(metric["reading"] == "worse" and not metric["gate"] for metric in metrics)
    assert (f"{losses} metric without a gate gets worse." in page) == (losses == 1)
    assert (f"{losses} without a gate gets worse: nothing blocks that." in lines) == (losses == 1)


def test_how_much_changes_is_the_same(proposal):
    page, body, lines = proposal
    size = body["size"]
    assert (size["sample"], size["inputs"]) == ("boots", {"added": [], "narrowed": []})
    assert size["lines"] > 0
    assert size["tokens"] != 0
    count = f"{size['lines']} {'line changes' if size['lines'] == 1 else 'lines change'}"
    tokens = f"{size['tokens']:+d} {'token' if size['tokens'] == 1 else 'tokens'}"
    assert f"{count}, {tokens} on sample boots, callers need to send nothing new." in lines
    size_line = re.sub(r"<[^>]*>", "", page.split('class="panel-size">')[1].split("</span>")[0])
    words = " ".join(size_line.replace("\N{MINUS SIGN}", "-").split())
    assert words == f"{count} · {tokens} · callers need to send nothing new"


def test_overlapping_and_superseded_changes_are_the_same(proposal):
    page, body, lines = proposal
    assert [(service["version"], service["superseded"]) for service in body["overlapping"]] == [(2, True), (4, False)]
    for service in body["overlapping"]:
        number, version = service["change"], service["version"]
        assert re.search(rf'Change <a href="/changes/{number}"> ?{number}</a> also targets production', page)
        ends = "is contained in v3 and superseded by it." if service["superseded"] else "has to be merged once"
        assert f"v{version} by author {ends}" in page
        end = "is superseded by it" if service["superseded"] else "has to be merged afterwards"
        assert f"Change {number} proposes version {version} for production too; it {end}." in lines


def test_page_and_preview_name_the_same_live_version_and_rollback(proposal):
    page, body, lines = proposal
    assert (body["serves"], body["undo"], body["undo_version"], body["included"]) == (1, "roll_back", 1, [2])
    assert "Undo: roll back to v1 at any time." in page
    assert "Undo: a reviewer rolls production back to version 1, without an approval." in lines
    assert "Includes v2" in page
    assert "Goes live with it: version 2." in lines
    assert f"Needs {body['approvals_needed']} approval" in page
    assert f"Needs {body['approvals_needed']} approval" in lines


def test_checks_are_the_same(proposal):
    page, body, lines = proposal
    states = {check["name"]: check["state"] for check in body["checks"]}
    assert (states["samples"], states["evaluation"]) == ("passed", "failed")
    panel = page[page.index('id="panel-checks"') :]
    for check in body["checks"]:
        assert f"> {check['name'].capitalize()}</span>" in panel  # after an icon if the frontend is built
        required = " (required)" if check["name"] in ("samples", "evaluation") else ""
        assert f"{check['name']} {check['state']}{required}" in lines
        if check["state"] == "failed":
            assert check["summary"] in lines
            assert name_gates(check["summary"]).rstrip(".") in unescape(panel)


def test_a_roll_back_from_the_version_is_reported_in_the_terminal(reply, browser, capsys):
    reply.publish(2)
    act = {"actor": reply.actor("reviewer"), "name": REPLY, "label": "production", "version": 1}
    labels.roll_back_label(**act, reason="Wrong answers")
    preview = browser("author").get(f"/api/v1/templates/{REPLY}/-/labels/production/preview?version=2").json()
    tell_preview(preview, as_json=False)
    line = f"production was rolled back from this version by reviewer at {preview['rolled_back']['at']}: Wrong answers."
    assert line in capsys.readouterr().err
    tell_preview(
        {key: value for key, value in preview.items() if key != "rolled_back"}, as_json=False
    )  # of an older registry
    assert "rolled back from" not in capsys.readouterr().err
