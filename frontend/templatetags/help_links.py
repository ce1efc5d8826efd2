"""Template tags that link words: to the glossary, a problem's code to its page, an advice to where it is followed."""

import re

from django import template
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext

register = template.Library()
_ADVICE = re.compile(r"([^.]+?): (/runs/\d+/score)(?=\.|$)")  # as the API and the command line tell it


@register.simple_tag
def term(name: str, shown: str = "") -> SafeString:
    """The word as a link to its glossary entry; `shown` is what the sentence needs, such as a plural.

    The name is the entry's heading (`protected label`); a test looks each one up.
    """
    address = f"{reverse('help-page', args=['glossary'])}#{name.replace(' ', '-')}"
    return format_html('<a class="term" href="{}">{}</a>', address, shown or name)


@register.simple_tag
def problem_code(code: str) -> SafeString:
    """The code as a link to the page that explains it; in a new tab, because the page here may hold unsaved text."""
    address = reverse("help-page", args=[f"problems/{code}"])
    title = gettext("What {code} means (in a new tab)").format(code=code)
    return format_html('<a href="{}" target="_blank" title="{}"><b>{}</b></a>', address, title, code)


@register.filter
def linked(advice: str) -> SafeString:
    """The advice with each `words: /runs/9/score` as words that link there."""
    pieces: list[SafeString | str] = []
    end = 0
    for match in _ADVICE.finditer(advice):
        space = match[1][: len(match[1]) - len(match[1].lstrip())]
        link = format_html('{}<a href="{}">{}</a>', space, match[2], match[1].lstrip())
        pieces += [advice[end : match.start()], link]
        end = match.end()
    return format_html_join("", "{}", ((piece,) for piece in [*pieces, advice[end:]]))
