"""All URLs: the API, then the pages."""

from django.urls import include, path, re_path

from registry import security_txt
from registry.api.errors import unknown_address
from registry.observability import health, metrics_view

handler400 = "frontend.web.refusals.bad_request"
handler403 = "frontend.web.refusals.forbidden"
handler404 = "frontend.web.refusals.not_found"
handler500 = "frontend.web.refusals.server_error"

urlpatterns = [
    path("livez", health.livez, name="livez"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", metrics_view.export_metrics, name="metrics"),
    path(".well-known/security.txt", security_txt.show_contacts, name="security-txt"),
    path("api/public/", include("registry.langfuse.urls")),
    path("api/v1/", include("registry.api.urls")),
    re_path(r"^api(/|$)", unknown_address),
    path("", include("frontend.urls")),
]
