"""The users and groups that a comment on a release can mention, for autocompletion after @."""

from django.http import HttpRequest, JsonResponse

from frontend.changes.mention_views import answer_people
from frontend.web.decorators import signed_in
from registry.accounts.actor import Actor
from registry.namespaces.verbs import Verb
from registry.releases import queries

__all__ = ["list_people"]


@signed_in
def list_people(_request: HttpRequest, actor: Actor, number: int) -> JsonResponse:
    """The candidates as JSON, for users who may comment on the release: members of its namespace, then its groups."""
    return answer_people(queries.find_release(actor, Verb.COMMENT, number).namespace)
