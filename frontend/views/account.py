"""Signing in and out, and the choice of light or dark."""

from django.contrib.auth import login, logout
from django.contrib.auth.forms import AuthenticationForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from frontend.htmx import show

__all__ = ["log_in", "log_out", "set_theme"]

YEAR = 365 * 24 * 3600


@sensitive_post_parameters("password")
@require_http_methods(["GET", "POST"])
def log_in(request: HttpRequest) -> HttpResponse:
    """The login; afterwards the reader is where they wanted to go."""
    target = _inside(request, request.POST.get("next") or request.GET.get("next") or "/")
    if request.user.is_authenticated:
        return redirect(target)
    form = AuthenticationForm(request, data=request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        login(request, form.get_user())
        return redirect(target)
    return show(request, "login.html", {"form": form, "next": target}, status=422 if form.errors else 200)


@require_POST
def log_out(request: HttpRequest) -> HttpResponse:
    logout(request)
    return redirect("login")


@require_POST
def set_theme(request: HttpRequest) -> HttpResponse:
    """Remembers light or dark in a cookie, so that the server renders it before the first paint."""
    answer = redirect(_inside(request, request.POST.get("next", "/")))
    theme = request.POST.get("theme", "system")
    if theme in ("light", "dark"):
        answer.set_cookie("theme", theme, max_age=YEAR, samesite="Lax", secure=request.is_secure())
    else:
        answer.delete_cookie("theme")
    return answer


def _inside(request: HttpRequest, target: str) -> str:
    """The target where it stays on this server, else the home page."""
    inside = url_has_allowed_host_and_scheme(target, {request.get_host()}, require_https=request.is_secure())
    return target if inside else "/"
