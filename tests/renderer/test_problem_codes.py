"""Every code has a page and vice versa, and the examples of a page produce the code and its fix."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from promptuary import renderer
from promptuary.renderer.document.parser import parse_document
from promptuary.renderer.syntax.yaml_reader import compose, read_value
from promptuary.renderer.validation.standards import Subject, check_standards
from promptuary.renderer.validation.standards_reader import read_standards
from tests.support.markdown_blocks import CodeBlock, read_blocks

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs" / "problems").glob("PT*.md"))
INDEX = ROOT / "docs" / "reference" / "problems.md"
EXAMPLE, FIX = "Example", "How to fix it"


def codes_of_source() -> set[str]:
    sources = (path.read_text(encoding="utf-8") for path in (ROOT / "renderer").rglob("*.py"))
    return {code for text in sources for code in re.findall(r'"(PT\d{3})"', text)}


def titled(blocks: list[CodeBlock], section: str, title: str) -> list[str]:
    return [block.text for block in blocks if block.section == section and block.title == title]


def codes_of_python(text: str) -> set[str]:
    with pytest.raises(renderer.RenderError) as raised:
        exec(text, {})
    return {raised.value.code}


def codes_of_document(document: str, blocks: list[CodeBlock]) -> set[str]:
    """The codes that checking, rendering and reading give with the example's sample, data, reply, fragments and
    standards."""
    pieces = {block.title: block.text for block in blocks if block.section == EXAMPLE}
    fragments = {
        title.removeprefix("Fragment "): text for title, text in pieces.items() if title.startswith("Fragment ")
    }
    samples = {"first": json.loads(pieces["Sample"])} if "Sample" in pieces else {}
    codes = {problem.code for problem in renderer.validate(document, samples, fragments=fragments)}
    if "Standards" in pieces:
        codes |= codes_of_standards(document, pieces["Standards"], pieces.get("Name"), samples)
    try:
        if "Data" in pieces:
            renderer.load(document, fragments=fragments).render(json.loads(pieces["Data"]))
        if "Reply" in pieces:
            template = renderer.load(document, fragments=fragments)
            template.read(pieces["Reply"])
    except renderer.RenderError as error:
        codes.add(error.code)
    return codes


def codes_of_standards(text: str, standards: str, name: str | None, samples: dict[str, Any]) -> set[str]:
    subject = Subject(parse_document(text), path=name.strip() if name else None, samples=samples)
    return {problem.code for problem in check_standards(read_standards(read_value(compose(standards))), subject)}


def test_each_code_of_the_source_has_a_page_and_each_page_a_code():
    assert {path.stem for path in PAGES} == codes_of_source()


def test_the_index_lists_each_page_once_with_its_title():
    listed = dict(
        re.findall(r"^\| \[(PT\d{3})\]\(\.\./problems/PT\d{3}\.md\) \| ([^|]+) \|", INDEX.read_text(), re.MULTILINE)
    )
    titles = {path.stem: path.read_text().partition("\n")[0].partition(": ")[2] for path in PAGES}
    assert listed == titles


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_says_what_the_code_means_how_serious_it_is_and_how_to_fix_it(path):
    page = path.read_text(encoding="utf-8")
    head = re.match(rf"# {path.stem}: .+\n\nSeverity: (error|warning|note).*\.\n\n\S", page)
    assert head is not None
    assert re.findall(r"^## (.+)$", page, re.MULTILINE) == [EXAMPLE, FIX]
    assert page.partition(f"## {FIX}\n\n")[2].strip()


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_the_example_of_a_page_gives_the_code(path):
    blocks = read_blocks(path)
    documents, programs = titled(blocks, EXAMPLE, "Document"), [b.text for b in blocks if b.language == "python"]
    assert len(documents) + len(programs) == 1
    codes = codes_of_python(programs[0]) if programs else codes_of_document(documents[0], blocks)
    assert path.stem in codes


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_the_fix_of_a_page_gives_no_error_and_not_the_code(path):
    blocks = read_blocks(path)
    for document in titled(blocks, FIX, "Document"):
        codes = codes_of_document(document, blocks)
        errors = {problem.code for problem in renderer.validate(document) if problem.severity == "error"}
        assert path.stem not in codes | errors - {"PT501"}  # a fix may use the fragment of the example
        assert errors <= {"PT501"}
