"""The command `rebuildsearch`."""

import pytest
from django.core.management import call_command

from registry.templates import search_queries
from registry.templates.search_models import SearchEntry

pytestmark = pytest.mark.dialect


def test_lost_entries_come_back(reader, save, capsys):
    save("velvet")
    SearchEntry.objects.all().delete()
    assert search_queries.search_templates(reader, q="velvet").items == []
    call_command("rebuildsearch")
    assert capsys.readouterr().out == "Templates indexed: 1.\n"
    (template,) = search_queries.search_templates(reader, q="velvet").items
    assert template.name == "support/reply"
