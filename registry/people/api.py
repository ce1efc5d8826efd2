"""People over the API: the list for admins, and account actions of admins of the installation. Never by key."""

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.idempotency.views import IdempotentView
from registry.namespaces.authentication import identify_actor
from registry.people import administration, queries
from registry.people.account_api import EndedOutput
from registry.rest.list_responses import read_query
from registry.rest.output_serializers import Moment, Output, ProblemOutput

__all__ = ["Deactivation", "DeactivationPreview", "People", "PersonSessions", "Reactivation", "SecondStep"]


class RoleOutput(Output):
    """A role in a namespace."""

    namespace = serializers.CharField()
    role = serializers.CharField()
    own_role = serializers.CharField(help_text="What was given to the person; empty where only groups give a role.")
    folder_roles = serializers.DictField(
        child=serializers.CharField(), help_text="By folder what they are there, where that is more than `role`."
    )


class PersonOutput(Output):
    """An account as admins see it."""

    username = serializers.CharField()
    full_name = serializers.CharField()
    email = serializers.CharField()
    is_active = serializers.BooleanField()
    is_installation_admin = serializers.BooleanField()
    roles = RoleOutput(many=True, help_text="In the namespaces that you manage.")
    has_two_step = serializers.BooleanField()
    has_provider = serializers.BooleanField(help_text="Whether an OpenID provider signs them in.")
    last_sign_in = Moment(allow_null=True)
    last_active = Moment(allow_null=True)
    closed_namespaces = serializers.ListField(
        child=serializers.CharField(), help_text="Those that they can only read until two-step sign-in is on."
    )


class PersonList(Output):
    """People by username."""

    results = PersonOutput(many=True)


class OwnershipOutput(Output):
    """A pattern of paths."""

    namespace = serializers.CharField()
    pattern = serializers.CharField()


class AffectedKeyOutput(Output):
    """A key that stops."""

    name = serializers.CharField()
    namespace = serializers.CharField()
    fetches = serializers.IntegerField(help_text="In the last 30 days.")


class EffectsOutput(Output):
    """What deactivating somebody leads to."""

    username = serializers.CharField()
    last_admin_of = serializers.ListField(child=serializers.CharField(), help_text="It is refused while there are any.")
    approvals = serializers.ListField(
        child=serializers.IntegerField(), help_text="Changes where their approval counts now and won't any more."
    )
    own_changes = serializers.ListField(child=serializers.IntegerField(), help_text="Open ones, which stay.")
    without_reviewer = serializers.ListField(child=serializers.CharField())
    sole_owner = OwnershipOutput(many=True)
    keys = AffectedKeyOutput(many=True)
    schedules = serializers.ListField(
        child=serializers.IntegerField(), help_text="Changes they scheduled, which won't go live at their time."
    )
    releases = serializers.ListField(child=serializers.IntegerField(), help_text="The same of releases.")
    rollouts = serializers.ListField(
        child=serializers.IntegerField(), help_text="Rollouts they started, whose next planned step pauses them."
    )


class PersonState(Output):
    """Whether somebody can sign in."""

    username = serializers.CharField()
    is_active = serializers.BooleanField()


class People(APIView):
    """The accounts of this installation."""

    @extend_schema(
        operation_id="listPeople",
        parameters=[
            OpenApiParameter("q", str, description="A part of the username, name or address."),
            OpenApiParameter("deactivated", str, enum=["yes"], description="Those who can't sign in too."),
        ],
        responses={200: PersonList, "4XX": ProblemOutput},
    )
    def get(self, request: Request) -> Response:
        """List people: for admins of a namespace those of their namespaces, for admins of the installation all."""
        filters = read_query(request, "q", "deactivated")
        rows = queries.list_people(
            identify_actor(request),
            words=str(filters.get("q", "")),
            with_deactivated=filters.get("deactivated") == "yes",
        )
        return Response({"results": [PersonOutput.of(row) for row in rows]})


class DeactivationPreview(APIView):
    """Preview what deactivating a person changes."""

    @extend_schema(operation_id="previewDeactivation", responses={200: EffectsOutput, "4XX": ProblemOutput})
    def get(self, request: Request, person: str) -> Response:
        """Open changes, keys, and places that would be left alone. For admins of the installation."""
        return Response(EffectsOutput.of(queries.describe_effects_of_deactivation(identify_actor(request), person)))


class Deactivation(IdempotentView):
    """Deactivate a person."""

    @extend_schema(operation_id="deactivatePerson", request=None, responses={200: PersonState, "4XX": ProblemOutput})
    def post(self, request: Request, person: str) -> Response:
        """Deactivate an account: end its sessions and refuse its keys. For admins of the installation."""
        row = administration.deactivate_person(actor=identify_actor(request), username=person)
        return Response(PersonState.of(row))


class Reactivation(IdempotentView):
    """Reactivate a person."""

    @extend_schema(operation_id="reactivatePerson", request=None, responses={200: PersonState, "4XX": ProblemOutput})
    def post(self, request: Request, person: str) -> Response:
        """Reactivate the account, with the roles and keys that it had. For admins of the installation."""
        row = administration.reactivate_person(actor=identify_actor(request), username=person)
        return Response(PersonState.of(row))


class SecondStep(APIView):
    """The two-step sign-in of a person."""

    @extend_schema(operation_id="resetSecondStep", request=None, responses={204: None, "4XX": ProblemOutput})
    def delete(self, request: Request, person: str) -> Response:
        """Turn off two-step sign-in for a person who lost app and codes, and end their sessions. For admins of the
        installation.
        """
        administration.reset_second_step(actor=identify_actor(request), username=person)
        return Response(status=204)


class PersonSessions(APIView):
    """The sessions of a person."""

    @extend_schema(operation_id="endSessionsOfPerson", request=None, responses={200: EndedOutput, "4XX": ProblemOutput})
    def delete(self, request: Request, person: str) -> Response:
        """Sign a person out everywhere. For admins of the installation."""
        ended = administration.end_sessions_of_person(actor=identify_actor(request), username=person)
        return Response({"ended": ended})
