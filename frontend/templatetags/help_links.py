"""Template tags that link to the help: a word to its glossary entry, a problem's code to its page."""

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext

register = template.Library()


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
