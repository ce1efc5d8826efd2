"""The template tag that renders a part's text.

A prompt can have thousands of pieces, which take several times as long with Django's own tags.
"""

import html
from collections.abc import Iterable, Iterator

from django import template
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from frontend.diff.rendered import Piece
from frontend.web.wording import format_thousands

register = template.Library()

_CLASSES = {"input": "value", "fragment": "from-fragment", "placeholder": "chip placeholder"}


@register.simple_tag
def prompt_pieces(pieces: Iterable[Piece], part: int) -> SafeString:
    """The pieces of a part's text, with marked values.

    A value's title contains its source, a fragment is preceded by a chip, and long values are folded. `part` is the
    part's 0-based number: with the piece's number it identifies a fold, which stays open while the user types.
    """
    return SafeString("".join(_list_pieces(pieces, part)))


def _list_pieces(pieces: Iterable[Piece], part: int) -> Iterator[str]:
    """HTML. Written without `format_html`, which takes ten times as long; so each text is escaped here."""
    at_line = gettext("line {line}")
    for number, piece in enumerate(pieces):
        text = html.escape(piece.text)
        if piece.kind == "text":
            yield text
            continue
        if piece.kind == "fragment":
            yield f'<span class="chip fragment-chip">{html.escape(piece.reference)}</span> '
        style, place, title = _CLASSES[piece.kind], f"{piece.line or ''}:{piece.column or ''}", ""
        if piece.expression:
            source = f"{piece.expression}, {at_line.format(line=piece.line)}" if piece.line else piece.expression
            title = f' title="{html.escape(source)}"'
        yield f'<span class="{style}" data-at="{place}"{title}>{text}</span>'
        if piece.more:
            yield _fold(f"{part}.{number}", piece.more, style)


def _fold(name: str, text: str, style: str) -> str:
    count = format_thousands(len(text))
    title, label = gettext("{more} more characters").format(more=count), gettext("{more} more").format(more=count)
    return (
        f'<details class="fold" data-fold="{name}"><summary class="chip" title="{html.escape(title)}">'
        f'{html.escape(label)}</summary><span class="{style}">{html.escape(text)}</span></details>'
    )
