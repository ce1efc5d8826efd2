"""Every address: the API, then the pages."""

from django.urls import include, path

urlpatterns = [
    path("api/v1/", include("registry.api.urls")),
    path("", include("frontend.urls")),
]
