// The field of a list: its items, each a field or a small form, which can be added, moved and removed.
import { createElement, createIcon } from "../dom.ts";
import { gettext, ngettext } from "../language.ts";
import { drawHandle, installMoves, type NodeActions } from "./form/part_order.ts";
import { offerSplitting, splitPastedLines } from "./pasted_lines.ts";
import type { Json, Schema, ValueStore } from "./types.ts";
import { moveItem, readValue, writeValue } from "./value_paths.ts";

/** The path of a list, its items' schema, and how an item is rendered. */
export interface ListPlace {
  store: ValueStore;
  path: string[];
  id: string;
  items: Schema;
  /** Whether a sample without the list is invalid, so that it must be possible to enter an empty one. */
  isRequired: boolean;
  showFacts: () => void;
  drawItem: (store: ValueStore, path: string[], schema: Schema) => HTMLElement;
}

const MAX_OPEN = 8; // longer lists are collapsed initially
const SHOWN = 40; // most characters of the first item in the collapsed head

/** The lists that the user opened or closed, by the id of their field, so that redrawing preserves this. */
const folds = new Map<string, boolean>();

/** The items of a list, and a head with the first item that expands and collapses it. */
export function drawList(list: ListPlace): HTMLElement {
  return new ListField(list).element;
}

class ListField {
  readonly element: HTMLElement;
  readonly #list: ListPlace;
  readonly #summary = createElement("summary", { class: "list-head" });
  readonly #rows = createElement("div", { class: "list-rows" });
  #items: Json[];
  #isGiven: boolean;

  constructor(list: ListPlace) {
    this.#list = list;
    const value = list.store.read(list.path);
    this.#isGiven = Array.isArray(value);
    this.#items = Array.isArray(value) ? [...value] : [];
    const box = createElement("details", { class: "list", id: list.id }, this.#summary, this.#rows);
    box.open = folds.get(list.id) ?? this.#items.length <= MAX_OPEN;
    this.#summary.addEventListener("click", () => folds.set(list.id, !box.open));
    this.element = createElement("div", { role: "group" }, box);
    this.#draw();
  }

  #draw(): void {
    const rows = this.#items.map((_, index) => this.#drawRow(index));
    this.#rows.replaceChildren(...rows, this.#drawFoot());
    this.#showCount();
  }

  #drawFoot(): HTMLElement {
    const add = createElement(
      "button",
      { type: "button", class: "button button-quiet button-small", id: `${this.#list.id}-add` },
      createIcon("plus"),
      gettext("Add an item"),
    );
    add.addEventListener("click", () => {
      this.#change([...this.#items, makeEmptyItem(this.#list.items)]);
      this.#focusItem(this.#items.length - 1);
    });
    const foot = createElement("div", { class: "list-foot" }, add);
    if (this.#isGiven || !this.#list.isRequired) return foot;
    const leave = createElement(
      "button",
      { type: "button", class: "button button-quiet button-small" },
      gettext("Leave it empty"),
    );
    leave.addEventListener("click", () => {
      this.#change([]);
      this.#focus(`${this.#list.id}-add`);
    });
    foot.append(leave);
    return foot;
  }

  #drawRow(index: number): HTMLElement {
    const { path, items, drawItem } = this.#list;
    const name = gettext("item {number} of {name}", { name: path.at(-1) ?? "", number: index + 1 });
    const actions: NodeActions = {
      title: name,
      index,
      count: this.#items.length,
      move: (from, to) => this.#move(from, to),
      remove: () => this.#remove(index),
    };
    const handle = drawHandle(actions);
    const summary = handle.querySelector("summary");
    summary?.setAttribute("id", `${this.#idOf(index)}-handle`);
    summary?.addEventListener("keydown", (event) => {
      if (event.key !== "Delete") return;
      event.preventDefault();
      event.stopPropagation(); // in the list of samples this key removes a sample
      this.#remove(index);
    });
    const control = drawItem(this.#storeOf(index), [...path, String(index)], items);
    if (control instanceof HTMLTextAreaElement) this.#offerLines(control, index);
    const drop = createElement(
      "button",
      { type: "button", class: "icon-button", "aria-label": gettext("Remove item {number}", { number: index + 1 }) },
      createIcon("x"),
    );
    drop.addEventListener("click", () => this.#remove(index));
    const number = createElement("span", { class: "list-number", "aria-hidden": "true" }, String(index + 1));
    const row = createElement("div", { class: "list-row" }, handle, number, control, drop);
    installMoves(row, row, this.#rows, actions);
    return row;
  }

  /** Reads and writes inside one item, without redrawing it while it is being typed in. */
  #storeOf(index: number): ValueStore {
    const depth = this.#list.path.length + 1;
    return {
      read: (path) => readValue(this.#items[index], path.slice(depth)),
      write: (path, value) => {
        const inner = path.slice(depth);
        this.#items[index] = inner.length ? writeValue(this.#items[index], inner, value) : (value ?? null);
        this.#save();
      },
    };
  }

  #offerLines(area: HTMLTextAreaElement, index: number): void {
    area.addEventListener("paste", (event) => {
      const lines = splitPastedLines(event.clipboardData?.getData("text/plain") ?? "");
      if (lines.length < 2) return;
      // Wait until the browser has pasted. If the field contained other text, the item stays one item.
      window.setTimeout(() => {
        if (splitPastedLines(area.value).join("\n") !== lines.join("\n")) return;
        offerSplitting(area, lines, () => {
          this.#change([...this.#items.slice(0, index), ...lines, ...this.#items.slice(index + 1)]);
          this.#focusItem(index + lines.length - 1);
        });
      });
    });
  }

  /** Moves an item; it keeps the focus, so that it can be moved further. */
  #move(from: number, to: number): void {
    const focused = document.activeElement?.id ?? "";
    const own = this.#idOf(from);
    const isInside = focused === own || /^[.-]/.test(focused.slice(own.length));
    const suffix = focused.startsWith(own) && isInside ? focused.slice(own.length) : "-handle";
    this.#change(moveItem(this.#items, from, to));
    this.#focus(`${this.#idOf(to)}${suffix}`);
  }

  #remove(index: number): void {
    this.#change(this.#items.filter((_, place) => place !== index));
    const next = Math.min(index, this.#items.length - 1);
    this.#focus(next < 0 ? `${this.#list.id}-add` : `${this.#idOf(next)}-handle`);
  }

  /** Replaces the items in a separate undoable step. */
  #change(items: Json[]): void {
    this.#items = items;
    this.#isGiven = true;
    this.#draw();
    this.#save(true);
  }

  #save(isStep = false): void {
    const { store, path, showFacts } = this.#list;
    store.write(path, [...this.#items], isStep);
    this.#showCount();
    showFacts();
  }

  #idOf(index: number): string {
    return `${this.#list.id}.${index}`;
  }

  #focus(id: string): void {
    document.getElementById(id)?.focus();
  }

  #focusItem(index: number): void {
    const row = this.#rows.querySelectorAll(":scope > .list-row")[index];
    row?.querySelector<HTMLElement>("textarea, input, select, .segments button")?.focus();
  }

  #showCount(): void {
    const first = describeItem(this.#items[0]);
    const { length } = this.#items;
    const none = this.#isGiven ? gettext("empty") : gettext("none yet");
    const head = first.length > SHOWN ? `${[...first].slice(0, SHOWN).join("")}…` : first || (length ? "" : none);
    const text = ngettext("{count} item", "{count} items", length);
    this.#summary.replaceChildren(
      createElement("span", { class: "list-first", dir: "auto" }, head),
      createElement("span", { class: "note" }, text),
    );
  }
}

/** An item in one line, to tell items apart. */
function describeItem(item: Json | undefined): string {
  if (item === undefined || item === null) return "";
  if (typeof item !== "object") return String(item);
  return (Array.isArray(item) ? item : Object.values(item)).map(describeItem).filter(Boolean).join(", ");
}

/** The initial value of an item. */
function makeEmptyItem(schema: Schema): Json {
  if (schema.enum) return schema.enum[0] ?? null;
  if (schema.properties || schema.type === "object") return {};
  if (schema.type === "number" || schema.type === "integer") return 0;
  return schema.type === "boolean" ? false : "";
}
