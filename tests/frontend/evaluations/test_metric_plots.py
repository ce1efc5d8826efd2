"""Nightly runs over time: a line with its threshold, the versions, and every figure."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import translation

from frontend.evaluations import metric_plots
from frontend.templatetags.evaluation_rows import figure
from registry.evaluations import nightly_runs, run_worker
from registry.evaluations.models import Run
from registry.templates import labels
from tests.frontend.conftest import REPLY, read_html
from tests.support.finished_runs import WORSE, attach_gates, save_rows, start_run

EVENING = datetime(2026, 3, 4, 23, tzinfo=UTC)
PAGE = f"/runs/?template={REPLY}"


def measure(night):
    nightly_runs.start_nightly_runs(EVENING + timedelta(days=night))
    run_worker.advance_run(Run.objects.latest("pk").pk, seconds=5)


@pytest.fixture
def measured(reply):
    """Two nights of version 1, then one of a worse version that misses the threshold."""
    save_rows(reply)
    attach_gates(reply, "squad_f1 >= 0.9", nightly=True)
    measure(0)
    measure(1)
    reply.save(WORSE)
    reply.publish(3)
    measure(2)
    return reply


def test_a_line_has_its_threshold_and_a_tick_where_a_version_went_live(measured):
    plots = metric_plots.draw_nightly_plots(measured.actor("reader"), REPLY)
    plot = next(plot for plot in plots if plot.line.code == "squad_f1 of answer")
    assert [point.version for point in plot.line.points] == [1, 1, 3]
    assert [str(point.day) for point in plot.line.points] == ["2026-03-04", "2026-03-05", "2026-03-06"]
    assert (plot.line.floor, plot.ticks, plot.is_missed) == (0.9, (119.0,), True)
    assert plot.points.split()[0] == "5.0,5.0"
    assert plot.end == (119.0, 27.0)
    assert plot.gate is not None
    assert 5 < plot.gate < 27


def test_the_name_of_a_lines_score_is_in_the_language_of_the_page(measured):
    with translation.override("de"):
        plots = metric_plots.draw_nightly_plots(measured.actor("reader"), REPLY)
    assert "squad_f1 von answer" in {plot.line.code for plot in plots}


def test_latency_has_a_line_and_what_is_not_known_has_none(measured):
    names = {plot.line.name for plot in metric_plots.draw_nightly_plots(measured.actor("reader"), REPLY)}
    assert "latency a row" in names
    assert "cost a row" not in names


def test_the_runs_of_a_template_begin_with_its_nights(measured, browser):
    page = read_html(browser("reader").get(PAGE))
    assert "Every night</h2>" in page
    assert '<path class="trend-missed"' in page
    assert "2026-03-04" in page
    assert "Every night</h2>" not in read_html(browser("reader").get("/runs/"))


def test_an_outsider_is_shown_no_nights(measured, browser):
    assert "Every night" not in read_html(browser("outsider").get(PAGE))


def test_without_nights_there_is_no_section(reply, browser):
    assert "Every night" not in read_html(browser("reader").get(PAGE))


def test_other_labels_have_lines_below_those_of_the_nights(measured, browser):
    labels.move_label(actor=measured.actor("author"), name=REPLY, label="canary", version=1, expected=None)
    page = read_html(browser("reader").get(PAGE))
    assert "Other labels" in page
    assert 'canary, answers: Words in common <code class="faint">squad_f1 of answer</code>' in page
    assert "production, answers" not in page


def test_without_nights_the_live_label_has_its_lines_too(reply, browser):
    save_rows(reply)
    attach_gates(reply, "squad_f1 >= 0.9")
    start_run(reply)
    page = read_html(browser("reader").get(PAGE))
    assert "Labels over time" in page
    assert 'production, answers: Words in common <code class="faint">squad_f1 of answer</code>' in page


@pytest.mark.parametrize(
    ("value", "unit", "expected_text"),
    [
        (0.9, "", "0.9"),
        (0.02824, "", "0.0282"),
        (0.000028, "USD", "0.000028"),
        (111.24, "tokens", "111"),
        (0.0343, "s", "0.0343"),
        (0.0, "USD", "0"),
        (None, "", ""),
    ],
)
def test_figures_have_the_digits_that_count(value, unit, expected_text):
    assert figure(value, unit) == expected_text
