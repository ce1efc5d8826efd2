"""The generated tables of the reference pages say what the code says now."""

import importlib.util

from tests.docs.pages import ROOT


def test_no_generated_table_is_out_of_date():
    spec = importlib.util.spec_from_file_location("generate_reference", ROOT / "docs/generate_reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    outdated = [page.name for page in module.list_outdated_pages(write=False)]
    assert outdated == [], "run .venv/bin/python docs/generate_reference.py"
