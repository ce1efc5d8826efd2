"""The architecture pages match the code: the picture of the layers, and existing paths."""

import doctest
import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [*sorted((ROOT / "docs/architecture").glob("*.md")), ROOT / "docs/contributing.md", ROOT / "docs/glossary.md"]
PATH = re.compile(
    r"`((?:registry|renderer|evaluation|promptuary|frontend|tests|docs|benchmarks|migrations)/[\w./-]*\w)`"
)


def _drawing():
    path = ROOT / "docs/architecture/draw_layers.py"
    spec = importlib.util.spec_from_file_location("draw_layers", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_picture_shows_the_layers_that_are_checked():
    drawing = _drawing()
    picture = (ROOT / "docs/architecture/layers.svg").read_text(encoding="utf-8")
    assert picture == drawing.draw(drawing.read_layers()), "run python docs/architecture/draw_layers.py"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_each_path_on_the_page_exists(page):
    missing = [path for path in PATH.findall(page.read_text(encoding="utf-8")) if not (ROOT / path).exists()]
    assert missing == []


def test_each_name_of_a_fast_path_is_in_its_file():
    page = (ROOT / "docs/architecture/fast-paths.md").read_text(encoding="utf-8")
    named = re.findall(r"`([\w./]+\.py)`, (?:the )?`(\w+(?:\.\w+)?)`", page)
    files = {path: (ROOT / path).read_text(encoding="utf-8") for path, _ in named if (ROOT / path).is_file()}
    assert len(files) > 20
    missing = [
        (path, name)
        for path, name in named
        if path in files and not name.endswith(".py") and not re.search(rf"\b{name.rpartition('.')[2]}\b", files[path])
    ]
    assert missing == []


def test_the_stages_of_rendering_give_what_the_page_shows():
    page = ROOT / "docs/architecture/rendering.md"
    assert doctest.testfile(str(page), module_relative=False).failed == 0
