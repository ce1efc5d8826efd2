"""The dashboard and alerts for Prometheus use metrics that a running server exposes."""

import json
import re
from typing import Any

import pytest
from django.conf import settings

from registry.core import metrics
from tests.docs.pages import ROOT

DASHBOARD = ROOT / "docs/how-to/grafana-dashboard.json"
PAGE = ROOT / "docs/how-to/monitor.md"
FIGURE = re.compile(r"\b(?:promptuary|django)_\w+")


def list_expressions() -> list[str]:
    panels: list[dict[str, Any]] = json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]
    alarms = re.findall(r"expr: (.+)", PAGE.read_text(encoding="utf-8"))
    return [*alarms, *(target["expr"] for panel in panels for target in panel["targets"])]


EXPRESSIONS = list_expressions()


@pytest.fixture
def served_families(client, db) -> set[str]:
    """The figures that a server tells of after a page and a fetch."""
    client.get("/login")
    metrics.count_fetch(200)
    metrics.flush_counts()
    answer = client.get("/metrics", headers={"Authorization": f"Bearer {settings.PROMPTUARY_METRICS_TOKEN}"})
    return set(re.findall(r"^# TYPE (\w+) ", answer.content.decode(), re.MULTILINE))


@pytest.mark.parametrize("figure", sorted({name for expression in EXPRESSIONS for name in FIGURE.findall(expression)}))
def test_a_figure_of_the_dashboard_or_an_alarm_is_served(served_families, figure):
    assert {figure, figure.removesuffix("_bucket")} & served_families


def test_each_panel_has_a_title_and_a_place_of_its_own():
    panels = json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    assert all(panel["title"] and panel["gridPos"]["x"] + panel["gridPos"]["w"] <= 24 for panel in panels)
