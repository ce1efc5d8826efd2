"""URLs of the Langfuse API, below /api/public/. Names contain slashes, sent as %2F; the server has decoded them."""

from django.urls import path

from registry.langfuse import views

urlpatterns = [
    path("projects", views.projects, name="langfuse-projects"),
    path("v2/prompts", views.prompts, name="langfuse-prompts"),
    path("v2/prompts/<path:name>/versions/<int:number>", views.refuse_write, name="langfuse-labels"),
    path("v2/prompts/<path:name>", views.prompt, name="langfuse-prompt"),
    path("otel/v1/traces", views.traces, name="langfuse-traces"),
    path("ingestion", views.traces, name="langfuse-ingestion"),
]
