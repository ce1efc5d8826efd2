"""The reader's favourites and saved views: adding and removing them."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from frontend.browse.saved_views import count_view_rows, list_view_rows, write_view_address
from frontend.web.decorators import form_page, signed_in
from frontend.web.forms import add_errors, parse_form_number
from frontend.web.page import render_page
from registry.accounts.actor import Actor
from registry.bookmarks import services as bookmark_services
from registry.core.errors import Conflict, Invalid
from registry.core.problem_details import find_status

__all__ = ["keep_favourite", "list_saved_views"]


class _ViewForm(forms.Form):
    """The name of a saved view and its search."""

    name = forms.CharField(max_length=60)
    folder = forms.CharField(max_length=520, required=False, widget=forms.HiddenInput)
    query = forms.CharField(max_length=1000, widget=forms.HiddenInput)


@require_POST
@signed_in
def keep_favourite(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """Add the template to the favourites, or remove it with `do=remove`."""
    if request.POST.get("do") == "remove":
        bookmark_services.remove_favourite(actor=actor, name=name)
        messages.success(request, gettext("Removed from your favourites."))
    else:
        bookmark_services.add_favourite(actor=actor, name=name)
        sentence = gettext("Added to your favourites. They are on your home page and in Ctrl K.")
        messages.success(request, sentence)
    return redirect("template", name)


@form_page
@signed_in
def list_saved_views(request: HttpRequest, actor: Actor) -> HttpResponse:
    """The reader's saved views; `counts` returns only the rows with their counts. A POST saves a search or removes a
    view.
    """
    if request.method == "GET" and "counts" in request.GET:
        return render_page(request, "browse/_view_rows.html", {"views": count_view_rows(actor), "counted": True})
    if request.method == "POST" and request.POST.get("do") == "remove":
        name = bookmark_services.remove_view(actor=actor, view_id=parse_form_number(request.POST.get("view")))
        messages.success(request, gettext("The view {name} is removed.").format(name=name))
        return redirect("saved-views")
    form, status = _ViewForm(request.POST if request.method == "POST" else None), 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                view = bookmark_services.save_view(actor=actor, **form.cleaned_data)
            except (Invalid, Conflict) as error:
                add_errors(form, error)
                status = find_status(error)
            else:
                messages.success(request, gettext("The view {name} is saved.").format(name=view.name))
                return redirect(write_view_address(view))
    context = {
        "section": "templates",
        "form": form,
        "views": list_view_rows(actor),
    }
    return render_page(request, "browse/saved_views.html", context, status=status)
