"""The page on which a user follows a template and selects which events they are notified of."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext

from frontend.web.decorators import form_page, signed_in
from frontend.web.forms import add_errors
from frontend.web.page import build_breadcrumbs, render_page
from frontend.web.wording import TOPICS_IN_WORDS
from registry.accounts.actor import Actor
from registry.core.errors import Conflict, Invalid
from registry.core.problem_details import find_status
from registry.notifications import following
from registry.notifications.models import Watch
from registry.templates import queries as template_queries

__all__ = ["follow_template"]


class _FollowForm(forms.Form):
    """The events to be notified of; an empty selection means all."""

    topics = forms.MultipleChoiceField(
        choices=list(TOPICS_IN_WORDS.items()), required=False, widget=forms.CheckboxSelectMultiple
    )


@form_page
@signed_in
def follow_template(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """The events that can be followed; a POST follows or unfollows the template."""
    template = template_queries.get_template(actor, name)
    watch = following.find_follow(actor, template)
    topics = watch.topic_list if watch else [Watch.PUBLISHED, Watch.PROPOSED, Watch.COMMENTS]
    sent = request.POST if request.method == "POST" else None
    form, status = _FollowForm(sent, initial={"topics": topics or list(Watch.TOPICS)}), 200
    if request.method == "POST" and request.POST.get("do") == "stop":
        following.unfollow_template(actor=actor, name=name)
        messages.success(request, gettext("You no longer follow it."))
        return redirect("template", name)
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                following.follow_template(actor=actor, name=name, topics=form.cleaned_data["topics"])
            except (Invalid, Conflict) as error:
                add_errors(form, error)
                status = find_status(error)
            else:
                messages.success(request, gettext("You now follow it."))
                return redirect("template", name)
    context = {
        "section": "templates",
        "template": template,
        "crumbs": build_breadcrumbs(name),
        "form": form,
        "follows": watch is not None,
    }
    return render_page(request, "browse/follow.html", context, status=status)
