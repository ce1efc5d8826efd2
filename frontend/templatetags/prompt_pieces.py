"""The template tag that renders a part's text.

A prompt can have thousands of pieces, which take several times as long with Django's own tags.
"""

from collections.abc import Iterable, Iterator

from django import template
from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from frontend.diff.rendered import Piece
from frontend.web.wording import thousands

register = template.Library()

_CLASSES = {"input": "value", "fragment": "from-fragment", "placeholder": "chip placeholder"}


@register.simple_tag
def prompt_pieces(pieces: Iterable[Piece], part: int) -> SafeString:
    """The pieces of a part's text, with marked values.

    A value's title contains its source, a fragment is preceded by a chip, and long values are folded. `part` is the
    part's 0-based number: with the piece's number it identifies a fold, which stays open while the user types.
    """
    return format_html_join("", "{}", ((html,) for html in _list_pieces(pieces, part)))


def _list_pieces(pieces: Iterable[Piece], part: int) -> Iterator[SafeString]:
    at_line = gettext("line {line}")
    for number, piece in enumerate(pieces):
        if piece.kind == "text":
            yield escape(piece.text)
            continue
        if piece.kind == "fragment":
            yield format_html('<span class="chip fragment-chip">{}</span> ', piece.reference)
        style, place = _CLASSES[piece.kind], f"{piece.line or ''}:{piece.column or ''}"
        if piece.expression:
            title = f"{piece.expression}, {at_line.format(line=piece.line)}" if piece.line else piece.expression
            yield format_html('<span class="{}" data-at="{}" title="{}">{}</span>', style, place, title, piece.text)
        else:
            yield format_html('<span class="{}" data-at="{}">{}</span>', style, place, piece.text)
        if piece.more:
            yield _fold(f"{part}.{number}", piece.more, style)


def _fold(name: str, text: str, style: str) -> SafeString:
    count = thousands(len(text))
    title, label = gettext("{more} more characters").format(more=count), gettext("{more} more").format(more=count)
    return format_html(
        '<details class="fold" data-fold="{}"><summary class="chip" title="{}">{}</summary>'
        '<span class="{}">{}</span></details>',
        name,
        title,
        label,
        style,
        text,
    )
