"""The accessibility violations that axe finds in a page."""

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, ViewportSize

# For rules that a page passes, axe would describe every element and Playwright would transfer it all.
OPTIONS = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]},
    "resultTypes": ["violations"],
}
# A theme changes nothing but colours, which tests/frontend/web/test_themes.py asserts: the other rules need one theme.
COLOUR_OPTIONS = {
    "runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]},
    "resultTypes": ["violations"],
}
SIZES: tuple[ViewportSize, ...] = ({"width": 1280, "height": 800}, {"width": 390, "height": 844})
_AXE = Axe().axe_script
# axe reads the same few colours thousands of times on a page, which takes a third of its time.
_REMEMBER_COLOURS = """() => {
  const { Color } = axe.commons.color;
  const parse = Color.prototype.parseString;
  const known = new Map();
  Color.prototype.parseString = function (text) {
    if (!known.has(text)) known.set(text, parse.call(new Color(), text));
    const { r, g, b, alpha } = known.get(text);
    return Object.assign(this, { r, g, b, alpha });
  };
}"""
_RUN = "async options => (await axe.run(options)).violations"


def list_barriers_in_every_look(page: Page) -> list[str]:
    """axe's violations in both themes at both widths, and whether the page is wider than the screen."""
    barriers = []
    for viewport in SIZES:
        page.set_viewport_size(viewport)
        for theme, options in (("light", OPTIONS), ("dark", COLOUR_OPTIONS)):
            page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
            look = f"{theme} at {viewport['width']}"
            barriers += [f"{look}: {barrier}" for barrier in list_barriers(page, options)]
            width = page.evaluate("document.documentElement.scrollWidth")
            barriers += [f"{look}: {width} wide"] if width > viewport["width"] else []
    return barriers


def list_barriers(page: Page, options: dict[str, Any] = OPTIONS) -> list[str]:
    """axe's violations: the rule, the count, and the first element. options: those of `axe.run`."""
    if not page.evaluate("'axe' in window"):  # a reloaded page has lost it
        page.evaluate(_AXE)
        page.evaluate(_REMEMBER_COLOURS)
    violations: list[dict[str, Any]] = page.evaluate(_RUN, options)
    return [
        f"{violation['id']} x{len(violation['nodes'])}: {violation['nodes'][0]['html'][:160]}"
        for violation in violations
    ]
