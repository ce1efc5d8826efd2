// The samples view: a table of the samples, beside the values of the selected one.
import { createElement, findElement } from "../dom.ts";
import { gettext } from "../language.ts";
import { CallError } from "./api.ts";
import { drawHandle, installMoves } from "./form/part_order.ts";
import { focusFirstField } from "./input_fields.ts";

/** What the list needs from the values beside it. */
export interface SampleActions {
  choose(sample: string): void;
  focusField(path: string): void;
  add(): void;
  rename(): void;
  remove(): void;
  duplicate(): void;
  /** Moves a sample to the place of another one. Both are named, because the table may be outdated. */
  move(sample: string, target: string): void;
  editAsJson(): void;
  /** Has the server fix all samples, such as `set-all:order_id`; returns null on success, else the reason. */
  fix(action: string, choices: Record<string, string>): Promise<string | null>;
}

/** Keeps the list of samples up to date while it is visible. */
export class SampleList {
  readonly #container: HTMLElement;
  readonly #load: () => Promise<string>;
  readonly #actions: SampleActions;
  #requestNumber = 0;
  #markedSample = "";

  /** `load` returns the list as rendered by the server. */
  constructor(root: HTMLElement, load: () => Promise<string>, actions: SampleActions) {
    this.#container = findElement(root, "[data-samples]");
    this.#load = load;
    this.#actions = actions;
    this.#container.addEventListener("click", (event) => {
      const clicked = event.target as Element;
      if (clicked.closest(".form-handle")) return; // selecting redraws the table, which would close the menu
      if (clicked.closest("[data-copy-sample]")) {
        actions.duplicate();
        return;
      }
      const name = clicked.closest<HTMLElement>("[data-set-all]")?.dataset.setAll;
      if (name !== undefined) void this.#setForAll(name, actions);
      const dropped = clicked.closest<HTMLElement>("[data-drop-value]")?.dataset.dropValue;
      if (dropped !== undefined) void actions.fix(`drop-value:${dropped}`, {});
      const button =
        clicked.closest<HTMLElement>("[data-choose]") ??
        clicked.closest("tr")?.querySelector<HTMLElement>("[data-choose]");
      if (!button) return;
      actions.choose(button.dataset.choose ?? "");
      if (button.dataset.field) actions.focusField(button.dataset.field);
    });
    this.#container.addEventListener("dragend", () => void this.refresh());
    findElement(root, "[data-add-sample]").addEventListener("click", () => actions.add());
    findElement(root, "[data-samples-json]").addEventListener("click", () => actions.editAsJson());
    this.#container.addEventListener("keydown", (event) => {
      const { dataset } = event.target as HTMLElement;
      if (dataset.setValue === undefined) return;
      event.stopPropagation(); // typing here must not trigger the table's keys
      if (event.key !== "Enter") return;
      event.preventDefault();
      void this.#setForAll(dataset.setValue, actions);
    });
    findElement(root, '[data-pane="samples"]').addEventListener("keydown", (event) =>
      this.#press(event, root, actions),
    );
  }

  /** Marks the row of the selected sample. */
  markSample(name: string): void {
    this.#markedSample = name;
    const buttons = [...this.#container.querySelectorAll<HTMLElement>("th [data-choose]")];
    if (!buttons.some((button) => button.dataset.choose === name)) return; // renamed: its row will be redrawn soon
    for (const button of buttons) {
      if (button.dataset.choose === name) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
  }

  /** Sets the value typed above the table in each sample that lacks one for an input. */
  async #setForAll(name: string, actions: SampleActions): Promise<void> {
    const field = findElement<HTMLInputElement>(this.#container, `[data-set-value=${CSS.escape(name)}]`);
    this.#container.querySelector(".sample-cause .field-error")?.remove();
    const refusal = await actions.fix(`set-all:${name}`, { [`set.${name}`]: field.value });
    if (refusal === null) return;
    field.closest(".sample-cause")?.append(createElement("p", { class: "field-error", role: "alert" }, refusal));
    field.focus();
  }

  /** Adds a handle to each row: a sample is moved by dragging it, from its menu, or with Alt and an arrow key. */
  #installHandles(): void {
    const rows = [...this.#container.querySelectorAll<HTMLElement>("tr:has(th [data-choose])")];
    for (const [index, row] of rows.entries()) {
      const name = nameSample(row);
      const head = row.querySelector<HTMLElement>("th");
      if (!head) continue;
      const actions = {
        title: name,
        index,
        count: rows.length,
        move: (from: number, to: number) => this.#move(rows, from, to),
        remove: () => {
          this.#actions.choose(name);
          this.#actions.remove();
        },
      };
      const cell = createElement("span", { class: "sample-handle" }, drawHandle(actions));
      head.prepend(cell);
      installMoves(row, head, this.#container, actions);
    }
  }

  /** Moves a row immediately; it keeps the focus, so that it can be moved further. */
  #move(rows: HTMLElement[], from: number, to: number): void {
    this.#requestNumber++; // a list requested before the move would restore the old order
    const focused = document.activeElement as HTMLElement | null;
    const isName = focused?.dataset.choose !== undefined;
    const [row, other] = [rows[from], rows[to]];
    if (!row || !other) return;
    if (from < to) other.after(row);
    else other.before(row);
    // Clone the rows, because the installed listeners refer to their old places.
    for (const sampleRow of rows) {
      sampleRow.querySelector(".sample-handle")?.remove();
      sampleRow.classList.remove("is-dragged", "is-drop-above", "is-drop-below");
      sampleRow.replaceWith(sampleRow.cloneNode(true));
    }
    this.#installHandles();
    const moved = this.#container.querySelectorAll<HTMLElement>("tr:has(th [data-choose])")[to];
    moved?.querySelector<HTMLElement>(isName ? "th [data-choose]" : ".form-handle > summary")?.focus();
    this.#actions.move(nameSample(row), nameSample(other));
  }

  /** The keys of the table: j and k select the next and previous sample, Enter moves to the values, and so on. */
  #press(event: KeyboardEvent, root: HTMLElement, actions: SampleActions): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (/^[a-z]$/.test(event.key) && localStorage.getItem("single-keys") === "off") return;
    const rows = [...this.#container.querySelectorAll<HTMLElement>("th [data-choose]")];
    const current = rows.findIndex((row) => row.hasAttribute("aria-current"));
    const isRow = rows.includes(event.target as HTMLElement);
    if (event.key === "j" || event.key === "k") {
      const next = rows[Math.min(rows.length - 1, Math.max(0, current + (event.key === "j" ? 1 : -1)))];
      if (!next) return;
      next.focus();
      actions.choose(next.dataset.choose ?? "");
    } else if (event.key === "Enter" && isRow) {
      actions.choose((event.target as HTMLElement).dataset.choose ?? "");
      focusFirstField(findElement(root, "[data-fields]"));
    } else if (event.key === "n") actions.add();
    else if (event.key === "F2") actions.rename();
    else if (event.key === "Delete") actions.remove();
    else return;
    event.preventDefault();
  }

  /** The input in the fields above the table, by input name; `isFocused` for the focused one. */
  #readTyped(): { name: string; value: string; isFocused: boolean }[] {
    return [...this.#container.querySelectorAll<HTMLInputElement>("[data-set-value]")].map((field) => ({
      name: field.dataset.setValue ?? "",
      value: field.value,
      isFocused: field === document.activeElement,
    }));
  }

  #restoreTyped(typed: { name: string; value: string; isFocused: boolean }[]): void {
    for (const { name, value, isFocused } of typed) {
      const field = this.#container.querySelector<HTMLInputElement>(`[data-set-value=${CSS.escape(name)}]`);
      if (!field) continue;
      field.value = value;
      if (isFocused) field.focus();
    }
  }

  /** Loads the list; outdated responses are dropped. */
  async refresh(): Promise<void> {
    this.#requestNumber++;
    const requestNumber = this.#requestNumber;
    try {
      const html = await this.#load();
      if (requestNumber !== this.#requestNumber) return;
      if (this.#container.querySelector(".is-dragged")) return; // the list is reloaded when the row is dropped
      const focused = document.activeElement as HTMLElement | null;
      const hadFocus = this.#container.contains(focused);
      const handle = focused?.closest(".form-handle");
      const isOpen = handle?.hasAttribute("open"); // another row's menu may still be open when the focus has moved on
      const name = handle
        ? focused?.closest("tr")?.querySelector<HTMLElement>("th [data-choose]")?.dataset.choose
        : focused?.dataset.choose;
      const typed = this.#readTyped();
      this.#container.innerHTML = html;
      this.markSample(this.#markedSample); // another sample may have been selected since the list was requested
      this.#installHandles();
      this.#restoreTyped(typed);
      if (!hadFocus || name === undefined) return;
      const refocused =
        this.#container.querySelector<HTMLElement>(`[data-choose=${CSS.escape(name)}]`) ??
        this.#container.querySelector<HTMLElement>("th [aria-current]"); // it was renamed
      const target = handle
        ? refocused?.closest("tr")?.querySelector<HTMLElement>(".form-handle > summary")
        : refocused;
      target?.focus();
      if (isOpen) target?.closest("details")?.setAttribute("open", "");
    } catch (error) {
      if (requestNumber === this.#requestNumber && !this.#container.childElementCount) {
        this.#container.textContent =
          error instanceof CallError ? error.message : gettext("The samples could not be rendered.");
      }
    }
  }
}

function nameSample(row: HTMLElement): string {
  return row.querySelector<HTMLElement>("th [data-choose]")?.dataset.choose ?? "";
}
