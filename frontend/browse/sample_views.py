"""The page of a template's samples, edited as one JSON text."""

import json

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext

from frontend.web.decorators import form_page, signed_in
from frontend.web.forms import LinesField, add_errors
from frontend.web.page import build_breadcrumbs, render_page
from promptuary.renderer.problems import Problem
from registry.accounts.actor import Actor
from registry.core.errors import Invalid, NotFound, PromptuaryError
from registry.core.input_checks import BadJson, parse_json
from registry.core.problem_details import find_status
from registry.namespaces import permissions
from registry.namespaces.verbs import Verb
from registry.templates import queries as template_queries
from registry.templates import samples

__all__ = ["edit_samples"]


class SamplesForm(forms.Form):
    """All samples of a template as one JSON object."""

    samples = LinesField(required=False)


@form_page
@signed_in
def edit_samples(request: HttpRequest, actor: Actor, name: str) -> HttpResponse:
    """Show the samples, and save new ones; a refused form is shown again with the reasons."""
    template = template_queries.get_template(actor, name)
    sample_set = template.current_samples()
    text = json.dumps(sample_set.samples if sample_set else {}, ensure_ascii=False, indent=2)
    form = SamplesForm(request.POST or None, initial={"samples": text})
    problems: list[Problem] = []
    status = 200
    if request.method == "POST" and form.is_valid():
        try:
            samples.save_samples(actor=actor, name=name, samples=_read(form.cleaned_data["samples"]))
        except NotFound:
            raise
        except PromptuaryError as error:
            problems = error.problems if isinstance(error, Invalid) else []
            if not problems:
                add_errors(form, error)
            status = find_status(error)
        else:
            messages.success(request, gettext("The samples are saved."))
            return redirect("template", name)
    context = {
        "section": "templates",
        "template": template,
        "crumbs": build_breadcrumbs(name),
        "form": form,
        "problems": problems,
        "saved": sample_set,
        "count": len(sample_set.samples) if sample_set else 0,
        "may_write": permissions.is_allowed(actor, Verb.SAVE, template.namespace, template.path),
    }
    return render_page(request, "browse/samples.html", context, status=status)


def _read(text: str) -> dict[str, dict[str, object]]:
    try:
        value = parse_json(text.encode("utf-8", "replace")) if text.strip() else {}
    except BadJson as error:
        raise Invalid(fields={"samples": error.message}) from error
    if not isinstance(value, dict) or not all(isinstance(data, dict) for data in value.values()):
        sentence = gettext('Samples are one JSON object: {"a name": {"an input": "its value"}}.')
        raise Invalid(fields={"samples": sentence})
    return value
