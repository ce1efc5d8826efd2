"""Format `text`: one Jinja text that becomes one part; nothing is stripped, and no character has a special meaning."""

from collections.abc import Mapping
from typing import Any

from promptuary.renderer.formats.parts.slot_text import Slots, SlotText
from promptuary.renderer.jinja import Sandbox, Stream
from promptuary.renderer.part import Part

__all__ = ["PART_NAME", "TextParser"]

PART_NAME = "text"


class TextParser:
    """Makes one user part of the stream."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.texts = sandbox.texts

    def build_parts(self, stream: Stream, data: Mapping[str, Any]) -> list[Part]:
        pieces: list[str | int] = []
        number = 0
        for piece in stream.pieces:
            if piece < 0:
                pieces.append(number)
                number += 1
            else:
                pieces.append(self.texts[piece])
        content, marks = SlotText([pieces]).fill_marked(Slots(stream.values, stream.sites(), data, ordinary=False))
        return [Part(PART_NAME, "user", content, marks=marks)]
