"""Samples of a template."""

from registry.templates.models import SampleSet, Template

__all__ = ["current_samples"]


def current_samples(template: Template) -> SampleSet | None:
    """The samples as last saved, or None where there never were any."""
    return template.sample_sets.order_by("-number").first()
