// The command palette (Ctrl K).
import { createElement, createIcon, findElement } from "../dom.ts";
import { gettext } from "../language.ts";
import { buildPaletteQuery } from "./recent.ts";

interface Item {
  title: string;
  path?: string;
  note?: string;
  key?: string;
  href: string;
  /** The URL of the template's editor. */
  edit?: string;
}
interface Answer {
  groups: { name: string; items: Item[] }[];
}

const DELAY = 120;

class Palette {
  readonly dialog = createElement("dialog", { class: "palette", "aria-label": gettext("Find or jump to") });
  readonly #field = createElement("input", {
    type: "search",
    class: "palette-field",
    placeholder: gettext("Find or jump to"),
    "aria-label": gettext("Find or jump to"),
    role: "combobox",
    "aria-expanded": "true",
    "aria-controls": "palette-list",
    "aria-autocomplete": "list",
    autocomplete: "off",
  });
  readonly #list = createElement("div", {
    id: "palette-list",
    role: "listbox",
    "aria-label": gettext("Results"),
    class: "palette-list",
  });
  readonly #url: string;
  #timer: number | undefined;
  #requests = 0;

  constructor(url: string) {
    this.#url = url;
    const keys = createElement("p", { class: "palette-keys" });
    keys.append(createElement("kbd", {}, "Enter"), ` ${gettext("open")} `);
    keys.append(createElement("kbd", {}, "Ctrl Enter"), ` ${gettext("edit")}`);
    const head = createElement("div", { class: "palette-head" }, createIcon("search"), this.#field);
    this.dialog.append(head, this.#list, keys);
    this.#field.addEventListener("input", () => {
      window.clearTimeout(this.#timer);
      this.#timer = window.setTimeout(() => this.#ask(), DELAY);
    });
    this.dialog.addEventListener("keydown", (event) => this.#press(event));
    this.dialog.addEventListener("click", (event) => {
      if (event.target === this.dialog) this.dialog.close();
    });
    this.dialog.addEventListener("close", () => this.dialog.remove());
  }

  open(): void {
    document.body.append(this.dialog);
    this.dialog.showModal();
    this.#field.focus();
    void this.#ask();
  }

  async #ask(): Promise<void> {
    const request = ++this.#requests;
    try {
      const answer = await fetch(`${this.#url}?${buildPaletteQuery(this.#field.value)}`, {
        headers: { Accept: "application/json" },
      });
      if (!answer.ok) throw new Error(String(answer.status));
      const results = (await answer.json()) as Answer;
      if (request === this.#requests) this.#show(results);
    } catch {
      if (request === this.#requests) {
        this.#list.replaceChildren(
          createElement("p", { class: "palette-none" }, gettext("The search failed. Try again.")),
        );
      }
    }
  }

  #show(results: Answer): void {
    this.#list.replaceChildren();
    let number = 0;
    for (const group of results.groups.filter((result) => result.items.length)) {
      const box = createElement("div", { role: "group", "aria-label": group.name });
      box.append(createElement("h2", { class: "palette-group", "aria-hidden": "true" }, group.name));
      for (const item of group.items) {
        const row = createElement("a", {
          id: `palette-${number++}`,
          role: "option",
          class: "palette-item",
          href: item.href,
          "data-edit": item.edit,
        });
        row.tabIndex = -1;
        row.append(createElement("span", { class: "palette-title" }, item.title));
        if (item.note) row.append(createElement("span", { class: "palette-note" }, item.note));
        if (item.key) row.append(createElement("kbd", {}, item.key));
        box.append(row);
      }
      this.#list.append(box);
    }
    if (!number) {
      this.#list.append(
        createElement(
          "p",
          { class: "palette-none" },
          gettext("Nothing matches “{words}”.", { words: this.#field.value }),
        ),
      );
    }
    this.#select(0);
  }

  #rows(): HTMLAnchorElement[] {
    return [...this.#list.querySelectorAll("a")];
  }

  #select(index: number): void {
    const rows = this.#rows();
    rows.forEach((row, i) => {
      row.setAttribute("aria-selected", String(i === index));
    });
    const row = rows[index];
    if (row) this.#field.setAttribute("aria-activedescendant", row.id);
    else this.#field.removeAttribute("aria-activedescendant");
    row?.scrollIntoView({ block: "nearest" });
  }

  #press(event: KeyboardEvent): void {
    const rows = this.#rows();
    const current = rows.findIndex((row) => row.getAttribute("aria-selected") === "true");
    if (event.key === "ArrowDown") this.#select(Math.min(rows.length - 1, current + 1));
    else if (event.key === "ArrowUp") this.#select(Math.max(0, current - 1));
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && rows[current]?.dataset.edit) {
      window.location.assign(rows[current].dataset.edit);
    } else if (event.key === "Enter") rows[current]?.click();
    else return;
    event.preventDefault();
  }
}

/** Ctrl K, or the top bar's search, opens the palette; without this script the search is a plain link or form. */
export function installPalette(): void {
  const opener = document.querySelector<HTMLElement>("[data-palette]");
  if (!opener) return;
  const url = opener.dataset.palette || "/search.json";
  for (const hint of opener.querySelectorAll("kbd")) hint.hidden = false;
  const open = (event: Event): void => {
    event.preventDefault();
    if (!document.querySelector("dialog[open]")) new Palette(url).open();
  };
  opener.addEventListener("click", open);
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === "k") open(event);
  });
  if (opener.matches("form")) findElement(opener, "input").addEventListener("pointerdown", open);
}
