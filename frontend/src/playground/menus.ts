// Small menus and forms that open below their button.
import { createElement, createIcon } from "../dom.ts";

let isInstalled = false;

/** Menus close on Escape and on a click outside. */
function installClosing(): void {
  if (isInstalled) return;
  isInstalled = true;
  document.addEventListener("pointerdown", (event) => {
    for (const menu of document.querySelectorAll<HTMLDetailsElement>("details.play-menu[open]")) {
      if (!menu.contains(event.target as Node)) menu.open = false;
    }
  });
  document.addEventListener(
    "keydown",
    (event) => {
      const menu = (event.target as Element).closest<HTMLDetailsElement>("details.play-menu[open]");
      if (event.key !== "Escape" || !menu) return;
      event.preventDefault();
      event.stopPropagation();
      menu.open = false;
      menu.querySelector<HTMLElement>("summary")?.focus();
    },
    { capture: true },
  );
}

/** A button that opens `sheet`; `summary` may be updated later. */
export function createMenu(summary: HTMLElement, sheet: HTMLElement): HTMLDetailsElement {
  installClosing();
  return createElement("details", { class: "play-menu" }, summary, sheet);
}

/** One action of a menu; choosing it closes the menu. */
export function createMenuItem(icon: string, label: string, act: () => void): HTMLButtonElement {
  const item = createElement("button", { type: "button" }, createIcon(icon), label);
  item.addEventListener("click", () => {
    const menu = item.closest("details");
    if (menu) menu.open = false;
    menu?.querySelector<HTMLElement>("summary")?.focus();
    act();
  });
  return item;
}

/** A select styled like those of the pages. */
export function createSelect(label: string, choose: (value: string) => void): [HTMLElement, HTMLSelectElement] {
  const select = createElement("select", { "aria-label": label });
  select.addEventListener("change", () => choose(select.value));
  return [createElement("span", { class: "select" }, select, createIcon("chevrons-up-down")), select];
}

/** Updates the options if they differ, and selects one. */
export function setOptions(
  select: HTMLSelectElement,
  options: { value: string; label: string }[],
  value: string,
): void {
  const isSame =
    select.options.length === options.length &&
    options.every(({ value: each, label }, index) => {
      const option = select.options[index];
      return option?.value === each && option.text === label;
    });
  if (!isSame) select.replaceChildren(...options.map((option) => new Option(option.label, option.value)));
  if (select.value !== value) select.value = value;
}
