// Menus that open below their button: one is open at a time; Escape and a click outside close it.

const OPEN_MENUS = "details.menu[open]";

/** Follows all menus of the page, including those added later. */
export function installMenus(): void {
  document.addEventListener("click", closeOthers, true);
  document.addEventListener("pointerdown", (event) => closeMenus((menu) => !menu.contains(event.target as Node)));
  document.addEventListener("keydown", closeOnEscape, true);
}

/** Closes the menus beside the one that is about to open. Keys send a click as well. A toggle event would come later,
 * when another menu may be open by then. */
function closeOthers(event: Event): void {
  const summary = (event.target as Element).closest("summary");
  const menu = summary?.closest<HTMLDetailsElement>("details.menu");
  if (!menu || menu.open || summary?.parentElement !== menu) return;
  closeMenus((openMenu) => !openMenu.contains(menu));
}

/** Escape closes only the innermost menu around the focus, or the open one elsewhere. */
function closeOnEscape(event: KeyboardEvent): void {
  if (event.key !== "Escape" || event.isComposing) return;
  const around = (event.target as Element).closest<HTMLDetailsElement>(OPEN_MENUS);
  const elsewhere = document.querySelector("dialog[open]")
    ? undefined
    : [...document.querySelectorAll<HTMLDetailsElement>(OPEN_MENUS)].at(-1);
  const menu = around ?? elsewhere;
  if (!menu) return;
  event.preventDefault();
  event.stopPropagation();
  menu.open = false;
  menu.querySelector<HTMLElement>("summary")?.focus();
}

function closeMenus(isMeant: (menu: HTMLDetailsElement) => boolean): void {
  for (const menu of document.querySelectorAll<HTMLDetailsElement>(OPEN_MENUS)) if (isMeant(menu)) menu.open = false;
}
