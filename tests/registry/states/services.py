"""The same actions through the registry's services, with the model's names and arguments."""

from dataclasses import dataclass, field

from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.changes import decisions, emergencies
from registry.changes import rules as change_rules
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.namespaces import keys
from registry.namespaces import services as namespace_services
from registry.namespaces.key_queries import authenticate_key
from registry.redaction import services as redaction_services
from registry.releases import proposals
from registry.releases import services as release_services
from registry.releases.plans import ReleaseSelection
from registry.rollouts import services as rollout_services
from registry.templates import archive, labels
from registry.templates import save as template_save
from registry.templates.models import Version

__all__ = ["Services"]

_STEPS = ({"share": 500, "hours": 24}, {"share": 2500, "hours": 24})


@dataclass
class Services:
    """Actions by username, or by `key:0` and so on for the keys in the order in which they were issued."""

    secrets: list[str] = field(default_factory=list)

    def actor(self, name: str) -> Actor:
        """The actor. Raises AssertionError if its key is no longer valid."""
        if not name.startswith("key:"):
            return Actor(User.objects.get(username=name))
        actor = self.authenticate(int(name.removeprefix("key:")))
        assert actor is not None
        return actor

    def authenticate(self, index: int) -> Actor | None:
        """The actor of a key, or None if it was revoked."""
        return authenticate_key(self.secrets[index])

    def digest(self, name: str, number: int) -> str:
        """The digest of a version; one that no version has for 0."""
        rows = Version.objects.filter(template__name=name, number=number)
        return rows.values_list("digest", flat=True).first() or f"sha256:{0:064}"

    # Templates

    def save(self, actor: str, name: str, mark: str, base: int | None, parallel: bool) -> None:
        template_save.save_version(
            actor=self.actor(actor),
            name=name,
            document=f"- name: a\n  content: Say {mark} of {name}\n",
            message="",
            base=None if base is None else self.digest(name, base),
            parallel=parallel,
        )

    def move(self, actor: str, name: str, label: str, version: int, expected: int | None) -> None:
        labels.move_label(actor=self.actor(actor), name=name, label=label, version=version, expected=expected)

    def remove(self, actor: str, name: str, label: str, expected: int) -> None:
        labels.remove_label(actor=self.actor(actor), name=name, label=label, expected=expected)

    def roll_back(self, actor: str, name: str, label: str, version: int) -> None:
        labels.roll_back_label(actor=self.actor(actor), name=name, label=label, version=version, reason="It erred")

    def redact(self, actor: str, name: str, version: int, everywhere: bool, force: bool) -> None:
        redaction_services.redact_version(
            actor=self.actor(actor), name=name, version=version, reason="A name", everywhere=everywhere, force=force
        )

    def archive(self, actor: str, name: str, force: bool) -> None:
        archive.archive_template(actor=self.actor(actor), name=name, reason="Old", force=force)

    def unarchive(self, actor: str, name: str) -> None:
        archive.unarchive_template(actor=self.actor(actor), name=name)

    # Change requests

    def propose(self, actor: str, name: str, label: str, version: int) -> None:
        change_services.propose_change(actor=self.actor(actor), name=name, label=label, version=version, message="")

    def set_head(self, actor: str, number: int, version: int) -> None:
        change_services.set_head(actor=self.actor(actor), number=number, version=version)

    def decide(self, actor: str, number: int, decision: str, seen: int) -> None:
        digest = self.digest(ChangeRequest.objects.get(pk=number).template.name, seen)
        decisions.decide_on_change(
            actor=self.actor(actor), number=number, decision=decision, digest=digest, text="So it is"
        )

    def take_back(self, actor: str, number: int, seen: int) -> None:
        self.decide(actor, number, "take_back", seen)

    def publish(self, actor: str, number: int) -> None:
        change_services.publish_change(actor=self.actor(actor), number=number)

    def withdraw(self, actor: str, number: int) -> None:
        change_services.withdraw_change(actor=self.actor(actor), number=number, reason="Not needed")

    def reopen(self, actor: str, number: int) -> None:
        change_services.reopen_change(actor=self.actor(actor), number=number)

    def publish_in_emergency(self, actor: str, number: int) -> None:
        emergencies.publish_in_emergency(actor=self.actor(actor), number=number, reason="It burns")

    def close_emergency(self, actor: str, number: int) -> None:
        emergencies.close_emergency(actor=self.actor(actor), number=number, reason="It is out")

    # Rules, roles and keys

    def set_rules(
        self, actor: str, protected: frozenset[str], approvals: int, self_approval: bool, break_glass: bool
    ) -> None:
        change_rules.set_rules(
            actor=self.actor(actor),
            namespace="support",
            protected_labels=sorted(protected),
            approvals=approvals,
            self_approval=self_approval,
            break_glass=break_glass,
        )

    def set_role(self, actor: str, person: str, role: str | None) -> None:
        namespace_services.set_role(actor=self.actor(actor), namespace="support", username=person, role=role)

    def issue_key(self, actor: str, person: str) -> None:
        issued = keys.issue_key(
            actor=self.actor(actor), namespace="support", name="shop", scope="write", person=person, approved_only=False
        )
        self.secrets.append(issued.secret)

    def revoke_key(self, actor: str, index: int) -> None:
        keys.revoke_key(actor=self.actor(actor), key_id=self.secrets[index].split("_")[1])

    # Releases and rollouts

    def propose_release(self, actor: str, label: str, versions: dict[str, int]) -> None:
        selection = ReleaseSelection(versions=versions)
        proposals.propose_release(
            actor=self.actor(actor), namespace="support", label=label, title="Both", selection=selection
        )

    def publish_release(self, actor: str, number: int) -> None:
        release_services.publish_release(actor=self.actor(actor), number=number)

    def withdraw_release(self, actor: str, number: int) -> None:
        release_services.withdraw_release(actor=self.actor(actor), number=number, reason="Not now")

    def remove_from_release(self, actor: str, number: int, request: int) -> None:
        proposals.remove_from_release(actor=self.actor(actor), number=number, change=request)

    def start_rollout(self, actor: str, number: int) -> None:
        rollout_services.start_rollout(actor=self.actor(actor), change=number, steps=_STEPS)

    def step_rollout(self, actor: str, number: int) -> None:
        rollout_services.step_rollout(actor=self.actor(actor), number=number)

    def finish_rollout(self, actor: str, number: int) -> None:
        rollout_services.finish_rollout(actor=self.actor(actor), number=number)

    def pause_rollout(self, actor: str, number: int) -> None:
        rollout_services.pause_rollout(actor=self.actor(actor), number=number)

    def resume_rollout(self, actor: str, number: int) -> None:
        rollout_services.resume_rollout(actor=self.actor(actor), number=number)

    def stop_rollout(self, actor: str, number: int) -> None:
        rollout_services.stop_rollout(actor=self.actor(actor), number=number, reason="It erred")
