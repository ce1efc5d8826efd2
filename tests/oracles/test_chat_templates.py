"""Profiles write the text, and count the tokens, of the models' own chat templates and tokenizers."""

import json
from pathlib import Path

import pytest

from promptuary.renderer import profiles
from promptuary.renderer.output import targets
from promptuary.renderer.part import Part
from promptuary.renderer.tokens import tokenizers

ROWS = json.loads(Path(__file__).with_name("chat_templates.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("row", ROWS, ids=[f"{row[0]} {at}" for at, row in enumerate(ROWS)])
def test_the_text_and_the_ids_are_the_models_own(row):
    family, messages, text, ids = row
    profile = profiles.check(profiles.find_builtin_profile(family))
    parts = [Part(str(at), each["role"], each["content"]) for at, each in enumerate(messages)]
    if text is not None:
        assert targets.text(parts, profile) == text
    if ids is not None and tokenizers.list_vocabularies().get(profile.tokenizer):
        assert targets.encode_prompt(parts, profile, profiles.tokenizer(profile)) == ids
