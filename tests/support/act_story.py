"""A story of the main actions, from the first save to a release of two templates, for fault tests."""

from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.changes import decisions
from registry.changes import services as change_services
from registry.releases import proposals
from registry.releases import services as release_services
from registry.releases.plans import ReleaseSelection
from registry.templates import labels
from registry.templates import save as template_save
from tests.people import load_support

__all__ = ["TEMPLATE", "Story", "load_actors"]

TEMPLATE = "support/reply"
DOCUMENT = "- name: question\n  role: user\n  content: Say {}\n"


def load_actors() -> dict[str, Actor]:
    """The members of `support` who act: author, reviewer and admin."""
    load_support()
    return {name: Actor(User.objects.get(username=name)) for name in ("author", "reviewer", "admin")}


class Story:
    """The actions in order; each needs those before it."""

    def __init__(self, cast: dict[str, Actor]) -> None:
        self.author, self.reviewer = cast["author"], cast["reviewer"]
        self.digests: list[str] = []
        self.change = self.release = 0

    def save(self, name: str = TEMPLATE) -> None:
        base = self.digests[-1] if self.digests and name == TEMPLATE else None
        text = DOCUMENT.format(len(self.digests))
        saved = template_save.save_version(actor=self.author, name=name, document=text, message="Say", base=base)
        if name == TEMPLATE:
            self.digests.append(saved.version.digest)

    def propose(self) -> None:
        version = len(self.digests)
        self.change = change_services.propose_change(
            actor=self.author, name=TEMPLATE, label="production", version=version, message="Please"
        ).number

    def approve(self) -> None:
        decisions.decide_on_change(actor=self.reviewer, number=self.change, decision="approve", digest=self.digests[-1])

    def publish(self) -> None:
        change_services.publish_change(actor=self.author, number=self.change)

    def prepare_roll_back(self) -> None:
        """Put a second version into production, which can be rolled back to the first one."""
        for act in (self.save, self.propose, self.approve, self.publish):
            act()

    def roll_back(self) -> None:
        labels.roll_back_label(actor=self.reviewer, name=TEMPLATE, label="production", version=1, reason="Broken")

    def prepare_release(self) -> None:
        """Make an approved release of two templates."""
        names = ["support/first", "support/second"]
        for name in names:
            self.save(name)
        selection = ReleaseSelection(versions=dict.fromkeys(names, 1))
        release = proposals.propose_release(
            actor=self.author, namespace="support", label="production", title="Together", selection=selection
        ).release
        self.release = release.number
        digests = {row.number: row.version.digest for row in release.members.select_related("version")}
        release_services.approve_release(actor=self.reviewer, number=self.release, digests=digests)

    def publish_release(self) -> None:
        release_services.publish_release(actor=self.author, number=self.release)
