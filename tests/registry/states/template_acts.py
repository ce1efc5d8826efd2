"""The model's actions on templates: saving, labels, redaction, archiving."""

from registry.core.errors import ApprovalRequired, Conflict, Gone, PreconditionRequired, Stale
from tests.registry.states.model_rows import Move, Template, Version
from tests.registry.states.registry_model import RegistryModel

__all__ = ["TemplateActs"]


class TemplateActs(RegistryModel):
    """Each act raises what the service raises, and notes what follows if it is let through."""

    def save(self, actor: str, name: str, mark: str, base: int | None, parallel: bool) -> None:
        """base: the number of the version on which the caller says it is based; 0 for one that doesn't exist."""
        self.require_role(actor, "author")
        template = self.templates.get(name)
        if template is None:
            if base is not None:
                raise Stale("no template")
            template = Template(name)
        elif template.is_archived:
            raise Conflict("archived")
        elif template.mark(len(template.versions)) == mark:
            return
        found = self._find_base(template, base, parallel)
        if mark in template.redacted:
            raise Gone("redacted")
        number = len(template.versions) + 1
        version = Version(number, mark, self.person(actor), found, self.issuers(actor), self.clock)
        template.versions.append(version)
        self.templates[name] = template

    def _find_base(self, template: Template, base: int | None, parallel: bool) -> int | None:
        latest = len(template.versions)
        if latest == 0:
            return None
        if base is None:
            raise PreconditionRequired("base")
        if base and template.mark(base) == template.mark(latest):
            return latest
        if base == 0 or not parallel:
            raise Stale("base")
        return max({base} | template.twins(base))

    def move(self, actor: str, name: str, label: str, version: int, expected: int | None) -> None:
        template = self.take_template(actor, "author", name)
        self._require_free(template, label, expected)
        if template.labels.get(label) != version:
            self.put(template, label, version, "moved")

    def remove(self, actor: str, name: str, label: str, expected: int) -> None:
        template = self.take_template(actor, "author", name)
        self._require_free(template, label, expected)
        self.require_undivided(template, label)
        del template.labels[label]
        template.moves.append(Move(label, None, "removed", False))

    def _require_free(self, template: Template, label: str, expected: int | None) -> None:
        if label in self.protected:
            raise ApprovalRequired("protected")
        if template.labels.get(label) != expected:
            raise Conflict("elsewhere")

    def roll_back(self, actor: str, name: str, label: str, version: int) -> None:
        template = self.take_template(actor, "reviewer", name)
        mark = template.mark(version)
        if label not in template.labels:
            raise Conflict("not set")
        self.require_undivided(template, label)
        if template.held_mark(label) == mark:
            raise Conflict("held")
        self.require_text(template, version)
        ever = {template.mark(it.after) for it in template.moves if it.label == label and it.after}
        approved = self.approved_marks(template, label) if label in self.protected else ever
        if mark not in ever & approved:
            raise ApprovalRequired("never held")
        self.put(template, label, version, "rolled_back")

    def redact(self, actor: str, name: str, version: int, everywhere: bool, force: bool) -> None:
        self.require_role(actor, "admin")
        template = self.templates[name]
        self.require_text(template, version)
        twins = template.twins(version)
        if twins and not everywhere:
            raise Conflict("holders")
        used = {*template.labels.values(), *(it.head for it in self.pending(name)), len(template.versions)}
        if used & (twins | {version}) and not force:
            raise Conflict("uses")
        template.redacted.add(template.mark(version))

    def archive(self, actor: str, name: str, force: bool) -> None:
        self.require_role(actor, "admin")
        template = self.templates[name]
        if template.is_archived:
            return
        waiting = [it for it in self.requests if it.template == name and (it.is_pending or it.needs_approval)]
        if waiting or (set(template.labels) & self.protected and not force):
            raise Conflict("used")
        template.is_archived = True

    def unarchive(self, actor: str, name: str) -> None:
        self.require_role(actor, "admin")
        self.templates[name].is_archived = False
