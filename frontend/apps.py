"""The pages: an app without models."""

from django.apps import AppConfig


class FrontendConfig(AppConfig):
    name = "frontend"
