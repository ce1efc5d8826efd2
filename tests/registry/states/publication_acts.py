"""The model's actions on releases and rollouts, which publish change requests together or gradually."""

from registry.core.errors import Conflict, Invalid, NotFound
from tests.registry.states.change_acts import ChangeActs
from tests.registry.states.model_rows import Release, Request, Rollout, Template

__all__ = ["PublicationActs"]


class PublicationActs(ChangeActs):
    """Each act raises what the service raises, and notes what follows if it is let through."""

    def propose_release(self, actor: str, label: str, versions: dict[str, int]) -> None:
        self.require_role(actor, "author")
        if label not in self.protected:
            raise Invalid("not protected")
        chosen = sorted(name for name in versions if self._has_use(self.templates[name], label, versions[name]))
        if not chosen:
            raise Invalid("nothing left")
        release = Release(len(self.releases) + 1, label, self.person(actor))
        self.releases.append(release)
        for name in chosen:
            same = [it for it in self.pending(name, label) if it.head == versions[name]]
            if same:
                same[0].release = release.number
            else:
                self.open_request(actor, self.templates[name], label, versions[name], release.number)

    def _has_use(self, template: Template, label: str, version: int) -> bool:
        served = template.labels.get(label)
        if template.is_archived or template.mark(version) in template.redacted:
            return False
        if served is not None and template.mark(served) == template.mark(version):
            if self.approval(template, label) != "never_approved":
                return False
        elif served is not None and template.contains(served, version):
            return False
        if self.active_rollout(template.name, label):
            return False
        same = [it for it in self.pending(template.name, label) if it.head == version]
        return not (same and same[0].release and self.releases[same[0].release - 1].state == "open")

    def _take_release(self, actor: str, number: int) -> tuple[Release, list[Request]]:
        self.require_role(actor, "author")
        release = self.releases[number - 1]
        if release.state != "open":
            raise Conflict("closed")
        members = [it for it in self.requests if it.release == number and it.is_pending]
        return release, sorted(members, key=lambda it: it.template)

    def publish_release(self, actor: str, number: int) -> None:
        release, members = self._take_release(actor, number)
        if not members:
            raise Conflict("empty")
        for member in members:
            self.require_text(self.templates[member.template], member.head)
        self.require_unblocked(set().union(*(self.blockers(it) - {"release"} for it in members)))
        for member in members:
            self.publish_unblocked(member, self.templates[member.template])
        release.state = "published"

    def withdraw_release(self, actor: str, number: int) -> None:
        release, members = self._take_release(actor, number)
        self.require_opener(actor, release.opened_by)
        for member in members:
            self.require_opener(actor, member.opened_by)
        if any(self._is_rolling_out(member) for member in members):
            raise Conflict("rollout")
        for member in members:
            self.close_withdrawn(member)
        release.state = "withdrawn"

    def _is_rolling_out(self, request: Request) -> bool:
        return any(it.is_active and it.request == request.number for it in self.rollouts)

    def remove_from_release(self, actor: str, number: int, request: int) -> None:
        _, members = self._take_release(actor, number)
        row = self.requests[request - 1]
        if row.release != number:
            raise NotFound("no member")
        if row.is_pending and len(members) == 1:
            raise Conflict("last")
        row.release = None

    # Rollouts

    def start_rollout(self, actor: str, number: int) -> None:
        request = self.requests[number - 1]
        template = self.take_template(actor, "author", request.template)
        if not request.is_pending:
            raise Conflict("closed")
        self.require_text(template, request.head)
        self.require_unblocked(self.blockers(request))
        served = template.labels.get(request.label)
        if served is None or template.mark(served) == template.mark(request.head):
            raise Conflict("nothing to stay on")
        self.require_text(template, served)
        self.rollouts.append(Rollout(len(self.rollouts) + 1, number, request.template, request.label))

    def _take_rollout(self, actor: str, least: str, number: int) -> Rollout:
        self.require_role(actor, least)
        rollout = self.rollouts[number - 1]
        if not rollout.is_active:
            raise Conflict("ended")
        return rollout

    def _take_running(self, actor: str, number: int) -> Rollout:
        rollout = self._take_rollout(actor, "author", number)
        if rollout.state == "paused":
            raise Conflict("paused")
        return rollout

    def step_rollout(self, actor: str, number: int) -> None:
        rollout = self._take_running(actor, number)
        if rollout.share == 2500:
            self._finish(rollout)
        else:
            self._require_open_gate(rollout)
            rollout.share = 2500

    def finish_rollout(self, actor: str, number: int) -> None:
        self._finish(self._take_rollout(actor, "author", number))

    def pause_rollout(self, actor: str, number: int) -> None:
        self._take_running(actor, number).state = "paused"

    def resume_rollout(self, actor: str, number: int) -> None:
        rollout = self._take_rollout(actor, "author", number)
        if rollout.state != "paused":
            raise Conflict("not paused")
        rollout.state = "running"

    def stop_rollout(self, actor: str, number: int) -> None:
        self._take_rollout(actor, "reviewer", number).state = "stopped"

    def _require_open_gate(self, rollout: Rollout) -> Request:
        request = self.requests[rollout.request - 1]
        self.require_text(self.templates[rollout.template], request.head)
        self.require_unblocked(self.blockers(request) - {"rollout"})
        return request

    def _finish(self, rollout: Rollout) -> None:
        request = self._require_open_gate(rollout)
        rollout.state = "finished"
        self.publish_unblocked(request, self.templates[rollout.template])
