"""The page of email settings: which events a user gets email for."""

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext, gettext_lazy

from frontend.web.decorators import form_page, signed_in
from frontend.web.forms import add_errors
from frontend.web.page import render_page
from frontend.web.wording import TOPICS_IN_WORDS
from registry.accounts.actor import Actor
from registry.core.errors import Conflict, Invalid
from registry.core.problem_details import find_status
from registry.namespaces import queries as namespace_queries
from registry.notifications import queries as notification_queries
from registry.notifications.models import Watch
from registry.notifications.watches import set_watch_level

__all__ = ["describe_watches", "manage_mail"]

LEVELS = (
    (Watch.ALL, gettext_lazy("everything"), gettext_lazy("each save, move, proposal, decision and comment")),
    (
        Watch.MINE,
        gettext_lazy("what concerns me"),
        gettext_lazy("what waits for me, and what happens to my own work"),
    ),
    (Watch.NONE, gettext_lazy("nothing"), gettext_lazy("it is still shown on the home page")),
)


_SENTENCES = {
    Watch.ALL: gettext_lazy("mail about everything"),
    Watch.MINE: gettext_lazy("mail about what waits for you and what happens to your own work"),
    Watch.NONE: gettext_lazy("no mail"),
}


def describe_watches(actor: Actor) -> list[str]:
    """Describe what the user gets email about, a sentence for each place: `In support, refunds/*: no mail.`"""
    watches = notification_queries.list_own_watches(actor)
    sentences = []
    if not any(watch.namespace is None for watch in watches):
        sentence = gettext("Everywhere else: {wish}.") if watches else gettext("Everywhere: {wish}.")
        sentences.append(sentence.format(wish=_SENTENCES[Watch.MINE]))
    for watch in watches:
        topics = _describe_topics(watch)
        wish = gettext("mail about {topics}").format(topics=topics) if topics else _SENTENCES[watch.level]
        if watch.namespace and watch.template:
            sentence = gettext("In {namespace}, {paths}: {wish}.")
        elif watch.namespace:
            sentence = gettext("In {namespace}: {wish}.")
        else:
            sentence = gettext("Everywhere: {wish}.")
        name = watch.namespace.name if watch.namespace else ""
        sentences.append(sentence.format(namespace=name, paths=watch.template, wish=wish))
    return sentences


def _describe_topics(watch: Watch) -> str:
    return ", ".join(str(TOPICS_IN_WORDS[topic]) for topic in watch.topic_list)


class _WishForm(forms.Form):
    """A place and its email level; an empty level removes the setting."""

    namespace = forms.CharField(max_length=64, required=False)
    template = forms.CharField(max_length=200, required=False)
    level = forms.CharField(max_length=4, required=False)


@form_page
@signed_in
def manage_mail(request: HttpRequest, actor: Actor) -> HttpResponse:
    """The user's email settings; a POST sets or removes one."""
    form, status = _WishForm(request.POST or None, initial={"level": Watch.ALL}), 200
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            set_watch_level(
                actor=actor,
                level=data["level"] or None,
                namespace=data["namespace"] or None,
                template=data["template"],
            )
        except (Invalid, Conflict) as error:
            add_errors(form, error)
            status = find_status(error)
        else:
            messages.success(request, gettext("Saved.") if data["level"] else gettext("Removed."))
            return redirect("mail")
    elif request.method == "POST":
        status = 422
    words = {level: words for level, words, _note in LEVELS}
    watches = notification_queries.list_own_watches(actor)
    context = {
        "section": "account",
        "watches": [(watch, _describe_topics(watch) or words[watch.level]) for watch in watches],
        "namespaces": [namespace.name for namespace, _role in namespace_queries.list_namespaces(actor)],
        "levels": LEVELS,
        "form": form,
        "address": actor.person.email,
        "is_sent": settings.MAIL_IS_SENT,
    }
    return render_page(request, "accounts/mail.html", context, status=status)
