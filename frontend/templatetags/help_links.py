"""Template tags for links: to the glossary, from a problem's code to its page, from advice to where it applies."""

import re

from django import template
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext

register = template.Library()
_ADVICE = re.compile(r"([^.]+?): (/runs/\d+/score)(?=\.|$)")  # as in the API and the command line


@register.simple_tag
def term(name: str, shown: str = "") -> SafeString:
    """The word as a link to its glossary entry; `shown` is the inflected form, such as a plural.

    The name is the entry's heading (`protected label`); a test looks up each one.
    """
    address = f"{reverse('help-page', args=['glossary'])}#{name.replace(' ', '-')}"
    return format_html('<a class="term" href="{}">{}</a>', address, shown or name)


@register.simple_tag
def problem_code(code: str) -> SafeString:
    """The code as a link to its help page, in a new tab because this page may contain unsaved text."""
    address = reverse("help-page", args=[f"problems/{code}"])
    title = gettext("What {code} means (in a new tab)").format(code=code)
    return format_html('<a href="{}" target="_blank" title="{}"><b>{}</b></a>', address, title, code)


@register.filter
def link_addresses(advice: str) -> SafeString:
    """The advice with each `words: /runs/9/score` converted to a link. Advice that is HTML stays HTML."""
    kind = SafeString if isinstance(advice, SafeString) else str  # a part of a SafeString is a plain string
    pieces: list[str] = []
    end = 0
    for match in _ADVICE.finditer(advice):
        space = match[1][: len(match[1]) - len(match[1].lstrip())]
        link = format_html('{}<a href="{}">{}</a>', space, match[2], kind(match[1].lstrip()))
        pieces += [kind(advice[end : match.start()]), link]
        end = match.end()
    return format_html_join("", "{}", ((piece,) for piece in [*pieces, kind(advice[end:])]))
