// The menu of a row of the environments page: below its button, or on a phone, where a tap on the name opens it, a sheet.
import { findCurrentRow } from "./desk_keys.ts";
import { isPhone } from "./environments.ts";

const GAP = 4;

/** Opens the menu of the row that the keys are about; false where there is none. */
export function openRowMenu(): boolean {
  const menu = findCurrentRow()?.querySelector<HTMLElement>(".row-menu");
  menu?.showPopover();
  return Boolean(menu);
}

/** Follows the menus of rows, also those that htmx brings. */
export function installRowMenus(): void {
  document.addEventListener("beforetoggle", placeMenu, true);
  document.addEventListener("toggle", focusFirst, true);
  document.addEventListener("keydown", moveInMenu);
  document.addEventListener("click", (event) => {
    const pressed = event.target as Element;
    // What is chosen opens a panel, or copies: the menu is in its way.
    pressed.closest(".row-menu :is(a, button)")?.closest<HTMLElement>(".row-menu")?.hidePopover();
    const name = pressed.closest(".environments-table th[scope=row] > a");
    if (!name || !isPhone() || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    name.closest("[data-row]")?.querySelector<HTMLElement>(".row-menu")?.showPopover();
  });
}

/** Puts a menu that is about to open below its button, or above it in the lower half of the window. */
function placeMenu(event: Event): void {
  const menu = findToggled(event);
  if (!menu) return;
  const button = menu.previousElementSibling?.getBoundingClientRect();
  if (!button || isPhone()) {
    menu.removeAttribute("style"); // the style sheet puts it at the foot
    return;
  }
  const isLow = button.bottom > window.innerHeight / 2;
  menu.style.right = `${document.documentElement.clientWidth - button.right}px`;
  menu.style.top = isLow ? "auto" : `${button.bottom + GAP}px`;
  menu.style.bottom = isLow ? `${window.innerHeight - button.top + GAP}px` : "auto";
}

function focusFirst(event: Event): void {
  findToggled(event)?.querySelector("a")?.focus();
}

function findToggled(event: Event): HTMLElement | null {
  const isOpening = (event as ToggleEvent).newState === "open";
  const menu = event.target;
  return isOpening && menu instanceof HTMLElement && menu.matches(".row-menu") ? menu : null;
}

/** The arrow keys go through the menu. */
function moveInMenu(event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const menu = (event.target as Element).closest(".row-menu");
  if (!menu || !step) return;
  event.preventDefault();
  const items = [...menu.querySelectorAll<HTMLElement>("a, button:not([hidden])")];
  const now = items.indexOf(document.activeElement as HTMLElement);
  items[(now + step + items.length) % items.length]?.focus();
}
