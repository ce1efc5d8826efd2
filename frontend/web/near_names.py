"""Suggestions for the URL of a folder or template that isn't found."""

from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse

from registry.accounts.actor import Actor
from registry.templates import search_counts

__all__ = ["find_near_name"]


def find_near_name(request: HttpRequest) -> tuple[str, str] | None:
    """The closest folder or word in template names, with its URL; None if nothing is close."""
    match = request.resolver_match
    if match is None or not request.user.is_authenticated:
        return None
    actor = Actor(request.user)
    if match.url_name == "folder":
        folder = search_counts.find_similar_words(actor, "in", match.kwargs["folder"])
        return (folder, reverse("folder", args=[folder])) if folder else None
    if match.url_name == "template":
        word = search_counts.find_similar_words(actor, "word", match.kwargs["name"].rpartition("/")[2])
        return (word, f"{reverse('browse')}?{urlencode({'q': word})}") if word else None
    return None
