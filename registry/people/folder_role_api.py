"""Roles in folders of a namespace: listing them, giving one to a person or a group, and removing it."""

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.namespaces import folder_roles
from registry.namespaces.authentication import identify_actor
from registry.namespaces.models import FolderRole
from registry.people import group_access
from registry.people.loss_serializers import CONFIRMED, LossesOutput, shape_losses
from registry.rest.input_serializers import Input, Text, read_body
from registry.rest.list_responses import read_query
from registry.rest.output_serializers import Output, ProblemOutput
from registry.templates import folder_names

__all__ = ["FolderRoleOfGroup", "FolderRoleOfPerson", "FolderRoles", "PreviewFolderRole"]

_CONFIRMED = OpenApiParameter("confirmed", str, description=CONFIRMED)


class FolderRoleInput(Input):
    """A role in a folder."""

    role = Text(help_text="author or reviewer; it adds to the role in the namespace.")
    confirmed = Text(required=False, default="", help_text=CONFIRMED)


class FolderRoleOutput(Output):
    """A role that a person or a group was given in a folder."""

    folder = serializers.CharField(help_text="Inside the namespace, as in `refunds/europe`.")
    person = serializers.SerializerMethodField(help_text="A username, or null where a group has it.")
    group = serializers.SerializerMethodField(help_text="The name of a group, or null where a person has it.")
    role = serializers.CharField()

    def get_person(self, row: FolderRole) -> str | None:
        """The username."""
        return row.person.username if row.person else None

    def get_group(self, row: FolderRole) -> str | None:
        """The group's name."""
        return row.group.name if row.group else None


class SetFolderRoleOutput(FolderRoleOutput):
    """A role that was set in a folder, with what is unusual about it."""

    warnings = serializers.ListField(
        child=serializers.CharField(), help_text="That no template is in the folder yet, and which was probably meant."
    )


class FolderRoleList(Output):
    """Roles by folder."""

    results = FolderRoleOutput(many=True)


class FolderRoles(APIView):
    """The roles in folders of a namespace."""

    @extend_schema(operation_id="listFolderRoles", responses={200: FolderRoleList, "4XX": ProblemOutput})
    def get(self, request: Request, namespace: str) -> Response:
        """List the roles in folders, as they were given to people and groups. For members."""
        rows = folder_roles.list_folder_roles(identify_actor(request), namespace)
        return Response({"results": [FolderRoleOutput.of(row) for row in rows]})


class PreviewFolderRole(APIView):
    """What follows from another role in a folder."""

    @extend_schema(
        operation_id="previewFolderRole",
        parameters=[
            OpenApiParameter("folder", str, required=True, description="Inside the namespace, as in `refunds/europe`."),
            OpenApiParameter("person", str, description="A username; or say a group."),
            OpenApiParameter("group", str, description="The name of a group."),
            OpenApiParameter("role", str, description="The new role; without it the role is taken away."),
        ],
        responses={200: LossesOutput, "4XX": ProblemOutput},
    )
    def get(self, request: Request, namespace: str) -> Response:
        """What open requests, schedules and rollouts lose if the person or the group gets this role in the folder, or
        none. Nothing is stored. For admins, not by key.
        """
        data = read_query(request, "folder", "person", "group", "role")
        losses = group_access.preview_folder_role(
            identify_actor(request),
            namespace,
            data.get("folder", ""),
            data.get("role"),
            data.get("person"),
            data.get("group"),
        )
        return Response(shape_losses(losses, losses.sentences, losses.seal))


class FolderRoleOfPerson(APIView):
    """The role of a person in a folder."""

    @extend_schema(
        operation_id="setFolderRole",
        request=FolderRoleInput,
        responses={200: SetFolderRoleOutput, "4XX": ProblemOutput},
    )
    def put(self, request: Request, namespace: str, person: str, folder: str) -> Response:
        """Set the role in a folder of a person who has a role in the namespace. For admins, not by key. Where open
        requests or rollouts lose something by it, 409 names that, as for taking it.
        """
        return _set_role(request, namespace, folder, person=person)

    @extend_schema(
        operation_id="removeFolderRole",
        request=None,
        parameters=[_CONFIRMED],
        responses={204: None, "4XX": ProblemOutput},
    )
    def delete(self, request: Request, namespace: str, person: str, folder: str) -> Response:
        """Remove the role in the folder. For admins, not by key. Where open requests or rollouts lose something by
        it, 409 names that and its `seal`; with it as `confirmed` it is done.
        """
        return _take_role(request, namespace, folder, person=person)


class FolderRoleOfGroup(APIView):
    """The role of a group in a folder."""

    @extend_schema(
        operation_id="setFolderRoleOfGroup",
        request=FolderRoleInput,
        responses={200: SetFolderRoleOutput, "4XX": ProblemOutput},
    )
    def put(self, request: Request, namespace: str, group: str, folder: str) -> Response:
        """Set the role in a folder of each person of a group that has a role in the namespace. For admins, not by
        key.
        """
        return _set_role(request, namespace, folder, group=group)

    @extend_schema(
        operation_id="removeFolderRoleOfGroup",
        request=None,
        parameters=[_CONFIRMED],
        responses={204: None, "4XX": ProblemOutput},
    )
    def delete(self, request: Request, namespace: str, group: str, folder: str) -> Response:
        """Remove the group's role in the folder. For admins, not by key. Where something is lost by it, 409 names
        that, as for a person's.
        """
        return _take_role(request, namespace, folder, group=group)


def _set_role(
    request: Request, namespace: str, folder: str, *, person: str | None = None, group: str | None = None
) -> Response:
    data = read_body(FolderRoleInput, request)
    row = group_access.set_folder_role(
        actor=identify_actor(request), namespace=namespace, folder=folder, person=person, group=group, **data
    )
    shape = FolderRoleOutput.of(row)
    warning = folder_names.describe_empty_folder(namespace, str(shape["folder"]))
    return Response({**shape, "warnings": [warning] if warning else []})


def _take_role(
    request: Request, namespace: str, folder: str, *, person: str | None = None, group: str | None = None
) -> Response:
    confirmed = read_query(request, "confirmed").get("confirmed", "")
    group_access.set_folder_role(
        actor=identify_actor(request),
        namespace=namespace,
        folder=folder,
        role=None,
        person=person,
        group=group,
        confirmed=confirmed,
    )
    return Response(status=204)
