"""Truncation keeps the parts that prompt-poet keeps."""

import json
from pathlib import Path

import pytest

from promptuary.renderer import TruncationError
from promptuary.renderer.part import Part
from promptuary.renderer.tokens import tokenizers
from promptuary.renderer.truncation import fitting

CASES = json.loads(Path(__file__).with_name("truncation.json").read_text(encoding="utf-8"))["cases"]


def test_the_same_parts_are_kept():
    assert len(CASES) == 300
    for rows, limit, step, kept in CASES:
        parts = [
            Part(str(at), content="w " * words, truncation_priority=priority)
            for at, (priority, words) in enumerate(rows)
        ]
        if kept is None:
            with pytest.raises(TruncationError):
                fitting.fit_parts(parts, tokenizers.find_tokenizer(str.split), limit=limit, step=step)
            continue
        fitted = fitting.fit_parts(parts, tokenizers.find_tokenizer(str.split), limit=limit, step=step)
        assert [int(part.name) for part in fitted.parts] == kept, (rows, limit, step)
