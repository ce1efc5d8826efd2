"""What a page asks a reviewer to do in a browser: approve and publish the newest open change.

Run as `python -m tests.docs.approve` with PROMPTUARY_URL set; signs in with the demo's password.
"""

import os
import re

import httpx


def approve_newest() -> int:
    """The number of the change that is published now."""
    with httpx.Client(base_url=os.environ["PROMPTUARY_URL"], follow_redirects=True, timeout=60) as browser:
        page = browser.get("/login").text
        (token,) = set(re.findall(r'name="csrfmiddlewaretoken" value="([^"]+)"', page))
        person = {"username": "reviewer", "password": "reviewer-promptuary", "csrfmiddlewaretoken": token}
        browser.post("/login", data=person).raise_for_status()
        headers = {"X-CSRFToken": next(value for name, value in browser.cookies.items() if "csrf" in name)}
        changes = browser.get("/api/v1/changes", params={"state": "open"}).raise_for_status().json()["results"]
        change = max(changes, key=lambda change: change["number"])
        path = f"/api/v1/changes/{change['number']}"
        decision = {"decision": "approve", "digest": change["digest"]}
        browser.post(f"{path}/decisions", json=decision, headers=headers).raise_for_status()
        browser.post(f"{path}/publish", headers=headers).raise_for_status()
        return int(change["number"])


if __name__ == "__main__":
    approve_newest()
