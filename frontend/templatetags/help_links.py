"""The template tag that links a word to its entry in the glossary."""

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_tag
def term(name: str, shown: str = "") -> SafeString:
    """The word as a link to its glossary entry; `shown` is what the sentence needs, such as a plural.

    The name is the entry's heading (`protected label`); a test looks each one up.
    """
    address = f"{reverse('help-page', args=['glossary'])}#{name.replace(' ', '-')}"
    return format_html('<a class="term" href="{}">{}</a>', address, shown or name)
