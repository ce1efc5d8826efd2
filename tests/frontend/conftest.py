"""The cast in front of their browsers: a namespace where `production` is protected,
and a template with two versions."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from django.core.cache import caches
from django.http import HttpResponse
from django.test import Client

from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.changes import decisions
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.core.renderer_pool import find_renderer
from registry.namespaces import throttling
from registry.serving.fetcher import get_fetcher
from registry.templates import save as template_save
from registry.templates.models import Version
from tests.people import load_people
from tests.support.recorded_rows import write_or_insert

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Response

REPLY = "support/refunds/reply"
DOCUMENT = """---
description: Answer a refund question
tags: [refunds]
inputs:
  shop: {type: string, default: the shop}
  question: {type: string, maxLength: 4000, untrusted: true}
---
- name: instructions
  role: system
  content: |
    You help {{ shop }}. Use only the policy.
- name: question
  content: |
    {{ question }}
"""
OTHER = DOCUMENT.replace("Use only the policy.", "Quote the policy before you answer.")
SAMPLES = {"boots": {"question": "Can I return boots?"}, "late": {"question": "Where is it?", "shop": "Harbour Books"}}


@dataclass
class Desk:
    """What happened before the test begins; each step is one service call by the person who would do it."""

    people: dict[str, User]

    def actor(self, role: str) -> Actor:
        return Actor(self.people[role])

    def save(self, document: str = DOCUMENT, name: str = REPLY, message: str = "", **options: Any) -> Version:
        """The next version, made from the latest one."""
        latest = Version.objects.filter(template__name=name).order_by("-number").first()
        return template_save.save_version(
            actor=self.actor("author"),
            name=name,
            document=document,
            message=message,
            base=latest.digest if latest else None,
            **options,
        ).version

    def propose(self, version: int, message: str = "Quote the policy") -> ChangeRequest:
        return change_services.propose_change(
            actor=self.actor("author"), name=REPLY, label="production", version=version, message=message
        )

    def publish(self, version: int) -> ChangeRequest:
        change = self.propose(version)
        digest = change.version.digest
        decisions.decide_on_change(
            actor=self.actor("reviewer"), number=change.number, decision="approve", digest=digest
        )
        return change_services.publish_change(actor=self.actor("author"), number=change.number)


def set_desk() -> Desk:
    """Make `support` (production protected), `demo` (unprotected) with every role, and an outsider's `other`."""
    get_fetcher().clear()
    throttling.forget_calls()
    for name in ("default", "frames"):
        caches[name].clear()
    return Desk(load_people())


def set_reply(desk: Desk) -> Desk:
    """The template with versions 1 (in production) and 2, and two samples."""

    def write() -> None:
        desk.save(message="First words", samples=SAMPLES)
        desk.publish(1)
        desk.save(OTHER, message="Quote the policy")

    write_or_insert("reply", write)
    return desk


@pytest.fixture(scope="session", autouse=True)
def _patient_renderer() -> None:
    """A busy test machine may take its time; the limits themselves are tested with the renderer."""
    find_renderer().cpu_seconds = 30


@pytest.fixture
def desk(db: None) -> Desk:
    return set_desk()


@pytest.fixture
def reply(desk: Desk) -> Desk:
    return set_reply(desk)


@pytest.fixture
def browser(desk: Desk) -> Callable[[str], Client]:
    """A signed-in browser by role."""

    def sign_in(role: str) -> Client:
        client = Client()
        client.force_login(desk.people[role])
        return client

    return sign_in


BLOCKS = "a|button|dd|div|dt|h[1-6]|label|li|option|p|summary|t[dhr]"


def read_html(response: "HttpResponse | Response") -> str:
    """The page's HTML with white space made single, and none at the edges of blocks, where a browser shows none."""
    page = " ".join(response.content.decode().split()).replace(" >", ">")
    page = re.sub(rf"(<(?:{BLOCKS})(?: [^<>]*)?>) ", r"\1", page)
    page = re.sub(rf" (</(?:{BLOCKS})>)", r"\1", page)
    return re.sub(r"(</t[dhr]>) (?=<)", r"\1", page)
