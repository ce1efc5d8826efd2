"""Inviting from a page: the result for each address, or the errors in the form."""

from dataclasses import dataclass, field

from django.forms import Form
from django.http import QueryDict
from django.utils.translation import gettext, ngettext

from frontend.web.forms import add_errors
from registry.accounts.actor import Actor
from registry.core.errors import Conflict, Invalid, NotFound
from registry.core.problem_details import find_status
from registry.invitations import services
from registry.invitations.services import Answer, Invited, Outcome

__all__ = ["Inviting", "invite_people", "send_again"]


@dataclass(frozen=True)
class Inviting:
    """The result of inviting, for a page. status: of the page. answers: empty if the form has errors."""

    status: int = 200
    answers: list[Answer] = field(default_factory=list)

    @property
    def links(self) -> list[Invited]:
        """The new invitations, whose links are shown only this once."""
        return [answer.invited for answer in self.answers if answer.invited]

    @property
    def heading(self) -> str:
        """The result in a few words."""
        if not self.links:
            return gettext("Nobody needs a link")
        first, count = self.links[0], len(self.links)
        if len(self.answers) > 1:
            sentence = ngettext("{count} person is invited", "{count} people are invited", count)
            return sentence.format(count=count)
        if first.is_sent:
            return gettext("The invitation is sent to {email}").format(email=first.invitation.email)
        if first.invitation.email:
            return gettext("Hand this link on to {email}").format(email=first.invitation.email)
        return gettext("Hand this link on")


def invite_people(actor: Actor, namespace: str, form: Form) -> Inviting:
    """Invite the addresses of a bound form into a namespace; empty for the one selected in the form."""
    if not form.is_valid():
        return Inviting(422)
    data = form.cleaned_data
    try:
        answers = services.invite_people(
            actor=actor, namespace=namespace or data["namespace"], role=data["role"], emails=data["emails"]
        )
    except (Conflict, Invalid, NotFound) as error:
        add_errors(form, error)
        return Inviting(find_status(error))
    if all(answer.outcome in (Outcome.ALREADY_MEMBER, Outcome.ALREADY_INVITED) for answer in answers):
        for answer in answers:
            form.add_error("email", answer.sentence)
        return Inviting(409)
    return Inviting(201, answers)


def send_again(actor: Actor, posted: QueryDict) -> Inviting:
    """Replace the link of the invitation that the button names."""
    invited = services.send_new_link(actor=actor, invitation_id=posted.get("invitation", ""))
    return Inviting(201, [services.answer_with_link(invited)])
