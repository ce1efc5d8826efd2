"""The template tag that draws the segments of a token budget's bars."""

from collections.abc import Iterable

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString

from frontend.editor.token_budget import BarSegment

register = template.Library()


@register.simple_tag
def bar_segments(
    segments: Iterable[BarSegment], ids: str = "", y: int = 0, height: int = 8, gap: int = 0
) -> SafeString:
    """The segments of a bar as rectangles of an SVG; positions and sizes are in pixels.

    ids: what the ids of its patterns begin with; gap: the width of the gap at the start of each segment. Written in
    Python, because a prompt can have a hundred parts, each with two segments in two bars.
    """
    fills = {"input": f'fill="url(#{escape(ids)}from-inputs)"', "template": 'class="bar-template"'}
    pieces = []
    for segment in segments:
        pieces.append(
            f'<rect {fills[segment.kind]} x="{segment.start}%" y="{y}" width="{segment.width}%" height="{height}"/>'
        )
        if gap:
            pieces.append(f'<rect class="bar-gap" x="{segment.start}%" y="{y}" width="{gap}" height="{height}"/>')
    return SafeString("".join(pieces))
