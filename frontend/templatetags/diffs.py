"""Template tags of diffs.

Lines and rows are written in Python, because a diff has hundreds, and without `format_html`, which takes ten times as
long; so each text is escaped here. Folds, gaps and threads are templates.
"""

import html
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from django import template
from django.template import Context, Engine
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from frontend.diff.part_diffs import split_at_values
from frontend.diff.side_by_side import FoldedRows, Row
from frontend.diff.text import Entry, Gap, Line, Value, shorten_diff

register = template.Library()

_MARKS = {"added": ("<ins>", "</ins>"), "removed": ("<del>", "</del>")}


@register.simple_tag(takes_context=True)
def diff_lines(
    context: Context,
    lines: Iterable[Entry],
    spots: Mapping[int, Any] | None = None,
    link: str = "",
    part: int | None = None,
    both: bool = False,
) -> SafeString:
    """The lines of a diff, up to a page's limit, each with its threads from `spots` below it.

    link: the URL, without its part and line, of the form of a comment; both: number both sides.
    """
    write_line = _make_line_writer(f"{link}&part={part or 0}&line=" if link else "", both, spots or {})
    shared = {"spots": spots, "link": link, "part_index": part, "both": both}
    pieces = []
    for entry in shorten_diff(lines, spots or ()):
        if isinstance(entry, Line):
            pieces.append(write_line(entry))
            if spots and entry.new and entry.new in spots:
                pieces.append(_render_inside(context, "frontend/diff/_diff_spot.html", {"spot": spots[entry.new]}))
        else:
            pieces.append(_render_inside(context, "frontend/diff/_diff_fold.html", {**shared, "entry": entry}))
    return SafeString("".join(pieces))


@register.simple_tag(takes_context=True)
def diff_rows(context: Context, rows: Iterable[Row | FoldedRows | Gap]) -> SafeString:
    """The rows of a diff in two columns."""
    signs = _write_signs()
    pieces = []
    for row in rows:
        if isinstance(row, Row):
            old = _write_side(row.old, row.old.old, signs) if row.old else ' diff-absent">'
            new = _write_side(row.new, row.new.new, signs, is_copy=True) if row.new else ' diff-absent">'
            pieces.append(
                f'<div class="diff-row"><div class="diff-line{old}</div><div class="diff-line{new}</div></div>\n'
            )
        else:
            pieces.append(_render_inside(context, "frontend/diff/_diff_rows_fold.html", {"entry": row}))
    return SafeString("".join(pieces))


def _write_side(line: Line, number: int | None, signs: Mapping[str, str], *, is_copy: bool = False) -> str:
    """The rest of a `diff-line` after its class. is_copy: if it is unchanged, it was already said on the other side."""
    hidden = ' aria-hidden="true"' if is_copy and line.kind == "same" else ""
    return f' diff-{line.kind}"{hidden}><span class="diff-number">{number}</span>{_write_text(line, signs)}'


def _make_line_writer(address: str, both: bool, spots: Mapping[int, Any]) -> Callable[[Line], str]:
    """A function that writes one line of a diff; what its lines have in common is made once."""
    column, address = " diff-number-new" if both else "", html.escape(address)
    title = html.escape(gettext("Comment on line {line}; with Shift, on all lines up to it"))
    hint, signs = html.escape(gettext(", comment on this line")), _write_signs()

    def write_number(line: Line) -> str:
        if not address or not line.new:
            number = line.new if both else line.number
            return f'<span class="diff-number{column}">{number or ""}</span>'
        place = f"{address}{line.new}"
        return (
            f'<a class="diff-number{column}" href="{place}#comment-form" hx-get="{place}" '
            f'hx-target="#comment-form-place" hx-swap="outerHTML" title="{title.format(line=line.new)}">'
            f'{line.new}<span class="visually-hidden">{hint}</span></a>'
        )

    def write_line(line: Line) -> str:
        spot = spots.get(line.new) if line.new else None
        selected = " is-selected" if spot and spot.selected else ""
        old = f'<span class="diff-number">{line.old or ""}</span>' if both else ""
        text = _write_text(line, signs)
        return f'<div class="diff-line diff-{line.kind}{selected}">{old}{write_number(line)}{text}</div>\n'

    return write_line


def _write_signs() -> dict[str, str]:
    """For each kind of line, its sign and the word for screen readers."""
    words = {"added": ("+", gettext("added:")), "removed": ("\N{MINUS SIGN}", gettext("removed:"))}
    return {
        kind: f'<span aria-hidden="true">{sign}</span><span class="visually-hidden">{html.escape(word)} </span>'
        for kind, (sign, word) in words.items()
    }


def _write_text(line: Line, signs: Mapping[str, str]) -> str:
    """The sign and the words of a line, with changed words and values of inputs and fragments marked."""
    if line.values:
        runs = [(_write_value(run, value), is_changed) for run, is_changed, value in split_at_values(line)]
    else:
        runs = [(html.escape(word.text), word.changed) for word in line.words]
    start, end = _MARKS.get(line.kind, ("", ""))
    words = "".join([f"{start}{text}{end}" if is_changed else text for text, is_changed in runs])
    sign = signs.get(line.kind, "")
    return f'<span class="diff-sign">{sign}</span><span class="diff-text" dir="auto">{words}</span>'


def _write_value(text: str, value: Value | None) -> str:
    """A run of a line. A value has its source as its title; a fragment's name precedes its first line."""
    if value is None:
        return html.escape(text)
    where = gettext("{source}, line {line}").format(source=value.source, line=value.line) if value.line else ""
    title, text = html.escape(where or value.source), html.escape(text)
    if value.kind == "input":
        return f'<span class="value" title="{title}">{text}</span>'
    chip = f'<span class="chip fragment-chip">{html.escape(value.source)}</span> ' if value.is_first else ""
    return f'{chip}<span class="from-fragment" title="{title}">{text}</span>'


def _render_inside(context: Context, name: str, values: Mapping[str, Any]) -> SafeString:
    """A template with further values, like `include` inside a template."""
    with context.push(**values):
        return Engine.get_default().get_template(name).render(context)


@register.filter
def has_thread(lines: Iterable[Any], spots: Mapping[int, Any] | None) -> bool:
    """Whether one of these diff lines has a thread, so that a fold of them has to be open.

    A page without threads has no spots, which a template passes as an empty string.
    """
    return any(line.new in spots for line in lines) if spots else False
