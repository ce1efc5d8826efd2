"""The generated tables of the reference pages match the code."""

import re
from dataclasses import MISSING, fields

from registry.journal.event import list_event_classes
from tests.docs.pages import ROOT
from tests.support.scripts import load_script


def test_no_generated_table_is_out_of_date():
    outdated = [page.name for page in load_script("docs/generate_reference.py").list_outdated_pages(write=False)]
    assert outdated == [], "run .venv/bin/python docs/generate_reference.py"


def test_each_row_of_a_generated_table_has_a_description():
    pages = [page.read_text(encoding="utf-8") for page in (ROOT / "docs/reference").glob("*.md")]
    tables = [table for page in pages for table in re.findall(r"<!-- generated: .*?<!-- end -->", page, re.DOTALL)]
    rows = [row for table in tables for row in table.splitlines() if row.startswith("| `")]
    assert [row for row in rows if re.match(r"\| [^|]+ \| +\|", row)] == []


def test_the_fields_of_each_event_are_those_that_the_journal_writes():
    page = (ROOT / "docs/reference/events.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([a-z_.]+)` \| .* \| ([^|]*) \|$", page, re.MULTILINE))
    documented = {kind: set(re.findall(r"`(\w+)`( \(optional\))?", cell)) for kind, cell in rows.items()}
    assert documented == {
        event.kind: {
            (field.metadata.get("json_name", field.name), "" if field.default is MISSING else " (optional)")
            for field in fields(event)
        }
        for event in list_event_classes()
    }


def test_the_page_of_licences_is_up_to_date():
    script = load_script("docs/generate_licences.py")
    page = script.PAGE.read_text(encoding="utf-8")
    assert page == script.write_page(), "run .venv/bin/python docs/generate_licences.py"
