// Columns of the grid that the user hid; remembered by this browser for the dataset.
import { createElement, findElement } from "../dom.ts";
import { gettext } from "../language.ts";
import type { Column } from "./types.ts";

const PREFIX = "hidden-columns:";

export class HiddenColumns {
  readonly #key: string;
  #keys: ReadonlySet<string>;

  /** dataset: its name, empty for a new one, for which nothing is remembered. */
  constructor(dataset: string) {
    this.#key = dataset && `${PREFIX}${document.body.dataset.person ?? ""}:${dataset}`;
    this.#keys = new Set(this.#read());
  }

  /** The visible columns; the row's name is never hidden. */
  without(columns: readonly Column[]): readonly Column[] {
    return this.#keys.size ? columns.filter((column) => !this.#keys.has(column.key)) : columns;
  }

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  set(key: string, isHidden: boolean): void {
    const others = [...this.#keys].filter((one) => one !== key);
    this.#keys = new Set(isHidden ? [...others, key] : others);
    if (!this.#key) return;
    try {
      if (this.#keys.size) localStorage.setItem(this.#key, JSON.stringify([...this.#keys]));
      else localStorage.removeItem(this.#key);
    } catch {
      // storage is disabled or full: the columns stay hidden until the page is left
    }
  }

  #read(): string[] {
    try {
      const stored: unknown = this.#key ? JSON.parse(localStorage.getItem(this.#key) ?? "[]") : [];
      return Array.isArray(stored) ? stored.filter((one) => typeof one === "string" && one !== "id") : [];
    } catch {
      return []; // storage is disabled or contains something else
    }
  }
}

/** Renders the column menu into its `details`: a box for each column, ticked if it is visible. */
export function drawColumnMenu(
  menu: HTMLElement,
  columns: readonly Column[],
  hidden: HiddenColumns,
  hide: (key: string, isHidden: boolean) => void,
): void {
  const choices = columns.filter((column) => column.section !== "id");
  const count = choices.filter((column) => hidden.has(column.key)).length;
  findElement(menu, "[data-columns-text]").textContent = count
    ? gettext("Columns, {count} hidden", { count })
    : gettext("Columns");
  const focused = document.activeElement?.getAttribute("data-shown-column");
  const sheet = findElement(menu, ".menu-sheet");
  sheet.replaceChildren(
    ...choices.map((column) => {
      const name = column.section === "expected" ? gettext("expected {name}", { name: column.name }) : column.name;
      const box = createElement("input", { type: "checkbox", "data-shown-column": column.key });
      box.checked = !hidden.has(column.key);
      box.addEventListener("change", () => hide(column.key, !box.checked));
      return createElement("label", { class: "check" }, box, ` ${name}`);
    }),
  );
  if (focused) sheet.querySelector<HTMLElement>(`[data-shown-column="${CSS.escape(focused)}"]`)?.focus();
}
