"""The bar charts of the page on benchmarks, drawn from benchmarks/results.toml, and their tables.

    python docs/benchmark_charts.py && python docs/generate_reference.py

Each `[[chart]]` becomes docs/pictures/benchmarks/NAME.svg. A test compares the pictures with the results.
"""

import tomllib
from html import escape
from pathlib import Path
from typing import Any

__all__ = ["draw_chart", "list_figures", "read_charts"]

DOCS = Path(__file__).resolve().parent
RESULTS = DOCS.parent / "benchmarks/results.toml"
FOLDER = DOCS / "pictures/benchmarks"
WIDTH, ROW, BAR, LABEL, FIGURE = 720, 30, 16, 290, 130  # in the drawing's units; LABEL and FIGURE are widths of text
STYLE = """
text { font: 13px "Segoe UI", system-ui, sans-serif; fill: #201b14 }
.figure { font-variant-numeric: tabular-nums; fill: #564d40 }
rect { fill: #8c816f } .ours { fill: #1b4b72 } line { stroke: #8c816f }
@media (prefers-color-scheme: dark) {
  text { fill: #ece5d8 } .figure { fill: #bdb2a0 } rect { fill: #817563 } line { stroke: #817563 }
  .ours { fill: #92bfe0 }
}
"""


def read_charts() -> list[dict[str, Any]]:
    """The charts as they were measured: name, title, unit, and bars of a name and a value each."""
    charts: list[dict[str, Any]] = tomllib.loads(RESULTS.read_text(encoding="utf-8"))["chart"]
    return charts


def draw_chart(chart: dict[str, Any]) -> str:
    """One chart as SVG text: a bar for each value, from zero, with its figure and unit at the end."""
    bars, unit = chart["bars"], chart["unit"]
    most = max(bar["value"] for bar in bars)
    room = WIDTH - LABEL - FIGURE
    shapes = []
    for number, bar in enumerate(bars):
        top = number * ROW + 6
        width = max(room * bar["value"] / most, 1.5)
        kind = ' class="ours"' if bar.get("ours") else ""
        shapes += [
            f'<text x="{LABEL - 10}" y="{top + 13}" text-anchor="end">{escape(bar["name"])}</text>',
            f'<rect{kind} x="{LABEL}" y="{top}" width="{width:.1f}" height="{BAR}" rx="2"/>',
            f'<text class="figure" x="{LABEL + width + 8:.1f}" y="{top + 13}">{bar["value"]:,g} {escape(unit)}</text>',
        ]
    height = len(bars) * ROW + 6
    shapes.append(f'<line x1="{LABEL}" x2="{LABEL}" y1="0" y2="{height}"/>')
    words = "; ".join(f"{bar['name']} {bar['value']:,g} {unit}" for bar in bars)
    body = "\n".join(shapes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="{escape(chart["title"])}: {escape(words)}">\n<style>{STYLE}</style>\n{body}\n</svg>\n'
    )


def list_figures(chart: dict[str, Any]) -> str:
    """The same figures as a table, each with its ratio to that of Promptuary."""
    bars, unit = chart["bars"], chart["unit"]
    ours = next((bar["value"] for bar in bars if bar.get("ours")), None)
    head = f"| | {unit} |" + (" ratio |" if ours else "") + "\n| --- | --- |" + (" --- |" if ours else "") + "\n"
    rows = [
        f"| {bar['name']} | {bar['value']:,g} |" + (f" {bar['value'] / ours:.2g} |" if ours else "") for bar in bars
    ]
    return head + "\n".join(rows)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for each in read_charts():
        (FOLDER / f"{each['name']}.svg").write_text(draw_chart(each), encoding="utf-8")
