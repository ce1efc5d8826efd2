"""A theme changes colours and nothing else, so that tests of what else a page has may look at one theme."""

import re
from pathlib import Path

STYLES = Path(__file__).resolve().parents[3] / "frontend/static/frontend/css"
# What may stand where a style depends on the theme: the choice of a theme itself.
CHOICE = re.compile(r'\[data-theme="(light|dark)"\] \{\s*color-scheme: \1;\s*\}')


def test_styles_depend_on_the_theme_only_by_colours():
    assert "light-dark(" in (STYLES / "web/theme.css").read_text(encoding="utf-8")  # which takes two colours
    for path in sorted(STYLES.rglob("*.css")):
        rest = CHOICE.sub("", path.read_text(encoding="utf-8"))
        assert not re.search(r"data-theme|prefers-color-scheme", rest), path.name
