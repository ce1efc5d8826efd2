"""Roles in folders of a namespace: listing them, giving one to a person or a group, and taking it away."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.namespaces import folder_roles
from registry.namespaces.authentication import actor_of
from registry.namespaces.models import FolderRole
from registry.rest.input_serializers import Input, Text, read
from registry.rest.output_serializers import Output, ProblemOutput

__all__ = ["FolderRoleOfGroup", "FolderRoleOfPerson", "FolderRoles"]


class FolderRoleInput(Input):
    """A role in a folder."""

    role = Text(help_text="author or reviewer; it adds to the role in the namespace.")


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


class FolderRoleList(Output):
    """Roles by folder."""

    results = FolderRoleOutput(many=True)


class FolderRoles(APIView):
    """The roles in folders of a namespace."""

    @extend_schema(operation_id="listFolderRoles", responses={200: FolderRoleList, "4XX": ProblemOutput})
    def get(self, request: Request, namespace: str) -> Response:
        """Every role in a folder, as it was given to a person or a group. For members."""
        rows = folder_roles.list_folder_roles(actor_of(request), namespace)
        return Response({"results": [FolderRoleOutput.of(row) for row in rows]})


class FolderRoleOfPerson(APIView):
    """The role of a person in a folder."""

    @extend_schema(
        operation_id="setFolderRole", request=FolderRoleInput, responses={200: FolderRoleOutput, "4XX": ProblemOutput}
    )
    def put(self, request: Request, namespace: str, person: str, folder: str) -> Response:
        """Give a person who has a role in the namespace another one in a folder. For admins, not by key."""
        return _set_role(request, namespace, folder, person=person)

    @extend_schema(operation_id="removeFolderRole", request=None, responses={204: None, "4XX": ProblemOutput})
    def delete(self, request: Request, namespace: str, person: str, folder: str) -> Response:
        """Take the role in the folder away. For admins, not by key."""
        folder_roles.set_folder_role(
            actor=actor_of(request), namespace=namespace, folder=folder, role=None, person=person
        )
        return Response(status=204)


class FolderRoleOfGroup(APIView):
    """The role of a group in a folder."""

    @extend_schema(
        operation_id="setFolderRoleOfGroup",
        request=FolderRoleInput,
        responses={200: FolderRoleOutput, "4XX": ProblemOutput},
    )
    def put(self, request: Request, namespace: str, group: str, folder: str) -> Response:
        """Give each person of a group that has a role in the namespace another one in a folder. For admins, not by
        key.
        """
        return _set_role(request, namespace, folder, group=group)

    @extend_schema(operation_id="removeFolderRoleOfGroup", request=None, responses={204: None, "4XX": ProblemOutput})
    def delete(self, request: Request, namespace: str, group: str, folder: str) -> Response:
        """Take the group's role in the folder away. For admins, not by key."""
        folder_roles.set_folder_role(
            actor=actor_of(request), namespace=namespace, folder=folder, role=None, group=group
        )
        return Response(status=204)


def _set_role(
    request: Request, namespace: str, folder: str, *, person: str | None = None, group: str | None = None
) -> Response:
    role: str = read(FolderRoleInput, request)["role"]
    row = folder_roles.set_folder_role(
        actor=actor_of(request), namespace=namespace, folder=folder, role=role, person=person, group=group
    )
    return Response(FolderRoleOutput.of(row))
