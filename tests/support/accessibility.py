"""The accessibility violations that axe finds in a page."""

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, ViewportSize

# For rules that a page passes, axe would describe every element and Playwright would transfer it all.
OPTIONS = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]},
    "resultTypes": ["violations"],
}
SIZES: tuple[ViewportSize, ...] = ({"width": 1280, "height": 800}, {"width": 390, "height": 844})
_AXE = Axe().axe_script
_RUN = "async options => (await axe.run(options)).violations"


def list_barriers_in_every_look(page: Page) -> list[str]:
    """axe's violations in both themes at both widths, and whether the page is wider than the screen."""
    found = []
    for viewport in SIZES:
        for theme in ("light", "dark"):
            page.set_viewport_size(viewport)
            page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
            look = f"{theme} at {viewport['width']}"
            found += [f"{look}: {each}" for each in list_barriers(page)]
            width = page.evaluate("document.documentElement.scrollWidth")
            found += [f"{look}: {width} wide"] if width > viewport["width"] else []
    return found


def list_barriers(page: Page) -> list[str]:
    """axe's violations: the rule, the count, and the first element."""
    if not page.evaluate("'axe' in window"):  # a reloaded page has lost it
        page.evaluate(_AXE)
    found: list[dict[str, Any]] = page.evaluate(_RUN, OPTIONS)
    return [f"{each['id']} x{len(each['nodes'])}: {each['nodes'][0]['html'][:160]}" for each in found]
