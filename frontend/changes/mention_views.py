"""The users and groups that a comment on a change can mention, for autocompletion after @."""

from django.http import HttpRequest, JsonResponse

from frontend.web.decorators import signed_in
from registry.accounts.actor import Actor
from registry.changes import mentions
from registry.changes import queries as change_queries
from registry.namespaces.models import Namespace
from registry.namespaces.verbs import Verb

__all__ = ["answer_people", "list_people"]


@signed_in
def list_people(_request: HttpRequest, actor: Actor, number: int) -> JsonResponse:
    """The candidates as JSON, for users who may comment on the change: members of its namespace, then its groups."""
    return answer_people(change_queries.find_change(actor, Verb.COMMENT, number).template.namespace)


def answer_people(namespace: Namespace) -> JsonResponse:
    """The people whom a conversation in the namespace can mention. The caller checks the permission to comment."""
    candidates = mentions.list_mentionable(namespace)
    rows = [{"name": candidate.name, "title": candidate.title, "group": candidate.is_group} for candidate in candidates]
    return JsonResponse({"results": rows})
