"""Keyboard-only use of a page: reach a control by Tab, never by script."""

from playwright.sync_api import Locator, Page

__all__ = ["press_tab_to"]


def press_tab_to(page: Page, target: Locator, key: str = "Tab", limit: int = 80) -> int:
    """Press Tab or Shift+Tab until the control has the focus; return how often. Fails if it is never reached."""
    for presses in range(limit + 1):
        if target.evaluate("element => element === document.activeElement"):
            return presses
        page.keyboard.press(key)
    raise AssertionError(f"the key {key} does not reach the control")
