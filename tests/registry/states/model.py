"""The model of the registry: all its actions in one class."""

from tests.registry.states.publication_acts import PublicationActs
from tests.registry.states.template_acts import TemplateActs

__all__ = ["Model"]


class Model(TemplateActs, PublicationActs):
    """What people may do in one namespace, and what follows, without a database."""
