"""Keeping imported templates as drafts."""

import pytest

from registry.core.errors import Invalid
from registry.templates.imports import ChosenTemplate, save_imported_drafts
from registry.templates.models import Draft

DOCUMENT = "---\nformat: text\n---\nHi {{ name }}"


def test_chosen_templates_are_the_actors_drafts(author, support):
    chosen = [ChosenTemplate("a/greet", DOCUMENT, {"short": {"name": "Ann"}}), ChosenTemplate("bye", DOCUMENT, {})]
    drafts = save_imported_drafts(actor=author, namespace="support", chosen=chosen)
    assert [(draft.path, draft.document) for draft in drafts] == [("a/greet", DOCUMENT), ("bye", DOCUMENT)]
    assert "Ann" in drafts[0].samples


def test_all_are_kept_or_none(author, support):
    chosen = [ChosenTemplate("greet", DOCUMENT, {}), ChosenTemplate("No Name", DOCUMENT, {})]
    with pytest.raises(Invalid):
        save_imported_drafts(actor=author, namespace="support", chosen=chosen)
    assert not Draft.objects.exists()
