"""The pages' templates stay readable: no line is longer than those of the Python code."""

from pathlib import Path

LONGEST = 120
FOLDER = Path(__file__).parents[2] / "frontend" / "templates"


def test_no_template_line_is_too_long():
    too_long = [
        f"{path.relative_to(FOLDER)}:{number} has {len(line)} characters"
        for path in sorted(FOLDER.rglob("*.html"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if len(line) > LONGEST
    ]
    assert too_long == []
