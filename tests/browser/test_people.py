"""An admin looks at what a key can do, deactivates its person after reading what follows, and lets them in again."""

import os
import re
import subprocess
import sys

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import ROOT, Server, Visit
from tests.browser.test_release import take_picture


@pytest.fixture(scope="module")
def leaver(server: Server) -> str:
    """An author of `support` for whom a key acts, so that the demo's own people stay as they are."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PROMPTUARY_")}
    home = {"PROMPTUARY_HOME": str(server.home), "DJANGO_SETTINGS_MODULE": "registry.settings"}
    subprocess.run(
        [sys.executable, "tests/support/browser_people_data.py"],
        cwd=ROOT,
        env={**kept, **home, "PYTHONPATH": str(ROOT)},
        check=True,
        timeout=120,
    )
    return "leaver"


def test_a_key_is_tried_and_its_person_deactivated_and_let_in_again(visit: Visit, leaver):
    admin = visit.open("admin", "/n/support/keys")
    admin.get_by_role("link", name="what the key of returns-desk can do").click()
    expect(admin.get_by_role("heading", name="What can this key do?")).to_be_visible()
    admin.get_by_label("Template", exact=True).fill("support/refunds/reply")
    admin.get_by_role("button", name="Try it as this key").click()
    expect(admin.get_by_text("Allowed, 200")).to_be_visible()
    take_picture(admin, "key-panel")

    admin.goto(f"/people?person={leaver}")
    admin.get_by_role("link", name="Deactivate", exact=True).click()
    expect(admin.get_by_text("stops working")).to_be_visible()
    take_picture(admin, "deactivate")
    admin.get_by_role("button", name=f"Deactivate {leaver}").click()
    admin.wait_for_url(re.compile(r"/people\?"))
    expect(admin.get_by_role("cell").filter(has_text="Deactivated")).to_be_visible()

    admin.goto("/n/support/keys")
    admin.get_by_role("link", name="what the key of returns-desk can do").click()
    expect(admin.get_by_text(f"{leaver}, whom it acts for, is deactivated.")).to_be_visible()

    admin.goto(f"/people?show=all&person={leaver}")
    admin.get_by_role("button", name=f"Reactivate {leaver}").click()
    expect(admin.get_by_text(f"{leaver} can sign in again.").first).to_be_visible()
