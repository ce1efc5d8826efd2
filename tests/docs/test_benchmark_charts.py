"""The charts on the benchmarks page show the recorded figures, and the page includes each chart."""

from types import ModuleType

import pytest

from tests.docs.pages import ROOT
from tests.support.scripts import load_script

PAGE = ROOT / "docs/explanation/benchmarks.md"


@pytest.fixture(scope="module")
def drawing() -> ModuleType:
    return load_script("docs/benchmark_charts.py")


def test_the_charts_show_the_recorded_figures(drawing):
    charts = {path.stem: path.read_text(encoding="utf-8") for path in drawing.FOLDER.glob("*.svg")}
    drawn = {chart["name"]: drawing.draw_chart(chart) for chart in drawing.read_charts()}
    assert charts == drawn, "run python docs/benchmark_charts.py"


def test_the_page_shows_each_chart(drawing):
    page = PAGE.read_text(encoding="utf-8")
    names = [chart["name"] for chart in drawing.read_charts()]
    assert [name for name in names if f"benchmarks/{name}.svg)" not in page] == []
    assert [name for name in names if f"<!-- generated: benchmark-{name} -->" not in page] == []


def test_a_chart_names_the_program_that_measures_it(drawing):
    programs = [chart["program"].split()[0] for chart in drawing.read_charts()]
    assert [program for program in programs if not (ROOT / program).is_file()] == []


def test_a_bar_is_as_long_as_its_share_of_the_longest(drawing):
    bars = [{"name": "ours", "value": 50, "ours": True}, {"name": "theirs <x>", "value": 100}]
    picture = drawing.draw_chart({"title": "Requests", "unit": "a second", "bars": bars})
    assert 'class="ours" x="290" y="6" width="150.0"' in picture
    assert 'width="300.0"' in picture
    assert "theirs &lt;x&gt;" in picture


def test_the_table_has_ratios_to_ours(drawing):
    bars = [{"name": "ours", "value": 50, "ours": True}, {"name": "theirs", "value": 100}]
    table = drawing.list_figures({"unit": "requests/s", "bars": bars})
    assert table.splitlines()[-2:] == ["| ours | 50 | 1 |", "| theirs | 100 | 2 |"]
