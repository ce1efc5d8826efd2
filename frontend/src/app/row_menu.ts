// The menu of a row of the environments page: below its button, or on a phone a sheet that opens from the name.
import { findCurrentRow } from "./desk_keys.ts";
import { isPhone } from "./environments.ts";

const GAP = 4;

/** Opens the menu of the current row; false if there isn't one. */
export function openRowMenu(): boolean {
  const menu = findCurrentRow()?.querySelector<HTMLElement>(".row-menu");
  menu?.showPopover();
  return Boolean(menu);
}

/** Follows the row menus, including those swapped in by htmx. */
export function installRowMenus(): void {
  document.addEventListener("beforetoggle", placeMenu, true);
  document.addEventListener("toggle", focusFirst, true);
  document.addEventListener("keydown", moveInMenu);
  document.addEventListener("click", (event) => {
    const pressed = event.target as Element;
    // A choice opens a panel or copies something, so close the menu.
    pressed.closest(".row-menu :is(a, button)")?.closest<HTMLElement>(".row-menu")?.hidePopover();
    const name = pressed.closest(".environments-table th[scope=row] > a");
    if (!name || !isPhone() || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    name.closest("[data-row]")?.querySelector<HTMLElement>(".row-menu")?.showPopover();
  });
}

/** Places an opening menu below its button, or above it in the lower half of the window. */
function placeMenu(event: Event): void {
  const menu = findToggled(event);
  if (!menu) return;
  const button = menu.previousElementSibling?.getBoundingClientRect();
  if (!button || isPhone()) {
    menu.removeAttribute("style"); // the stylesheet puts it at the bottom
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

/** The arrow keys move through the menu. */
function moveInMenu(event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const menu = (event.target as Element).closest(".row-menu");
  if (!menu || !step) return;
  event.preventDefault();
  const items = [...menu.querySelectorAll<HTMLElement>("a, button:not([hidden])")];
  const focused = items.indexOf(document.activeElement as HTMLElement);
  items[(focused + step + items.length) % items.length]?.focus();
}
