// The samples view: a table of the samples, beside the values of the one that is chosen.
import { createElement, findElement } from "../dom.ts";
import { gettext } from "../language.ts";
import { CallError } from "./api.ts";
import { drawHandle, installMoves } from "./form/part_order.ts";
import { focusFirstField } from "./input_fields.ts";

/** What the list asks of the values beside it. */
export interface SampleActs {
  choose(sample: string): void;
  focusField(path: string): void;
  add(): void;
  rename(): void;
  remove(): void;
  duplicate(): void;
  /** Moves a sample to the place of another one. Both are named: the table may be older than the samples. */
  move(sample: string, target: string): void;
  editAsJson(): void;
  /** Has the server fix samples alike, as `set-all:order_id`; null where it did, else why it did not. */
  fix(action: string, choices: Record<string, string>): Promise<string | null>;
}

/** Keeps the list of samples true to the text while it is shown. */
export class SampleList {
  readonly #place: HTMLElement;
  readonly #load: () => Promise<string>;
  readonly #acts: SampleActs;
  #asked = 0;

  /** `load` gives the list as the server draws it. */
  constructor(root: HTMLElement, load: () => Promise<string>, acts: SampleActs) {
    this.#place = findElement(root, "[data-samples]");
    this.#load = load;
    this.#acts = acts;
    this.#place.addEventListener("click", (event) => {
      const clicked = event.target as Element;
      if (clicked.closest(".form-handle")) return; // choosing draws the table again, which would close the menu
      if (clicked.closest("[data-copy-sample]")) {
        acts.duplicate();
        return;
      }
      const name = clicked.closest<HTMLElement>("[data-set-all]")?.dataset.setAll;
      if (name !== undefined) void this.#setForAll(name, acts);
      const dropped = clicked.closest<HTMLElement>("[data-drop-value]")?.dataset.dropValue;
      if (dropped !== undefined) void acts.fix(`drop-value:${dropped}`, {});
      const button =
        clicked.closest<HTMLElement>("[data-choose]") ??
        clicked.closest("tr")?.querySelector<HTMLElement>("[data-choose]");
      if (!button) return;
      acts.choose(button.dataset.choose ?? "");
      if (button.dataset.field) acts.focusField(button.dataset.field);
    });
    this.#place.addEventListener("dragend", () => void this.refresh());
    findElement(root, "[data-add-sample]").addEventListener("click", () => acts.add());
    findElement(root, "[data-samples-json]").addEventListener("click", () => acts.editAsJson());
    this.#place.addEventListener("keydown", (event) => {
      const { dataset } = event.target as HTMLElement;
      if (dataset.setValue === undefined) return;
      event.stopPropagation(); // letters are typed here, and are no keys of the table
      if (event.key !== "Enter") return;
      event.preventDefault();
      void this.#setForAll(dataset.setValue, acts);
    });
    findElement(root, '[data-pane="samples"]').addEventListener("keydown", (event) => this.#press(event, root, acts));
  }

  /** Marks the row of the sample that is chosen now. */
  mark(name: string): void {
    const buttons = [...this.#place.querySelectorAll<HTMLElement>("th [data-choose]")];
    if (!buttons.some((button) => button.dataset.choose === name)) return; // renamed: its row is drawn soon
    for (const button of buttons) {
      if (button.dataset.choose === name) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
  }

  /** Gives each sample without a value for an input the one that was typed above the table. */
  async #setForAll(name: string, acts: SampleActs): Promise<void> {
    const field = findElement<HTMLInputElement>(this.#place, `[data-set-value=${CSS.escape(name)}]`);
    this.#place.querySelector(".sample-cause .field-error")?.remove();
    const refusal = await acts.fix(`set-all:${name}`, { [`set.${name}`]: field.value });
    if (refusal === null) return;
    field.closest(".sample-cause")?.append(createElement("p", { class: "field-error", role: "alert" }, refusal));
    field.focus();
  }

  /** Puts the handle into each row: the sample is moved by dragging it, from its menu, or by Alt and an arrow key. */
  #installHandles(): void {
    const rows = [...this.#place.querySelectorAll<HTMLElement>("tr:has(th [data-choose])")];
    for (const [index, row] of rows.entries()) {
      const name = nameSample(row);
      const head = row.querySelector<HTMLElement>("th");
      if (!head) continue;
      const actions = {
        words: name,
        index,
        count: rows.length,
        move: (from: number, to: number) => this.#move(rows, from, to),
        remove: () => {
          this.#acts.choose(name);
          this.#acts.remove();
        },
      };
      const cell = createElement("span", { class: "sample-handle" }, drawHandle(actions));
      head.prepend(cell);
      installMoves(row, head, this.#place, actions);
    }
  }

  /** Moves a row at once; the focus stays in it, so that it can be moved on. */
  #move(rows: HTMLElement[], from: number, to: number): void {
    this.#asked++; // a list that was asked for before the move would bring the old order back
    const focused = document.activeElement as HTMLElement | null;
    const isName = focused?.dataset.choose !== undefined;
    const [row, other] = [rows[from], rows[to]];
    if (!row || !other) return;
    if (from < to) other.after(row);
    else other.before(row);
    // Fresh rows: the moves that are installed on these tell their old places.
    for (const each of rows) {
      each.querySelector(".sample-handle")?.remove();
      each.classList.remove("is-dragged", "is-drop-above", "is-drop-below");
      each.replaceWith(each.cloneNode(true));
    }
    this.#installHandles();
    const moved = this.#place.querySelectorAll<HTMLElement>("tr:has(th [data-choose])")[to];
    moved?.querySelector<HTMLElement>(isName ? "th [data-choose]" : ".form-handle > summary")?.focus();
    this.#acts.move(nameSample(row), nameSample(other));
  }

  /** The keys of the table: j and k choose the next and the one before, Enter goes to the values, and so on. */
  #press(event: KeyboardEvent, root: HTMLElement, acts: SampleActs): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (/^[a-z]$/.test(event.key) && localStorage.getItem("single-keys") === "off") return;
    const rows = [...this.#place.querySelectorAll<HTMLElement>("th [data-choose]")];
    const now = rows.findIndex((row) => row.hasAttribute("aria-current"));
    const isRow = rows.includes(event.target as HTMLElement);
    if (event.key === "j" || event.key === "k") {
      const next = rows[Math.min(rows.length - 1, Math.max(0, now + (event.key === "j" ? 1 : -1)))];
      if (!next) return;
      next.focus();
      acts.choose(next.dataset.choose ?? "");
    } else if (event.key === "Enter" && isRow) {
      acts.choose((event.target as HTMLElement).dataset.choose ?? "");
      focusFirstField(findElement(root, "[data-fields]"));
    } else if (event.key === "n") acts.add();
    else if (event.key === "F2") acts.rename();
    else if (event.key === "Delete") acts.remove();
    else return;
    event.preventDefault();
  }

  /** What is typed in the fields above the table, by input; `isFocused` for the one with the focus. */
  #readTyped(): { name: string; value: string; isFocused: boolean }[] {
    return [...this.#place.querySelectorAll<HTMLInputElement>("[data-set-value]")].map((field) => ({
      name: field.dataset.setValue ?? "",
      value: field.value,
      isFocused: field === document.activeElement,
    }));
  }

  #restoreTyped(typed: { name: string; value: string; isFocused: boolean }[]): void {
    for (const { name, value, isFocused } of typed) {
      const field = this.#place.querySelector<HTMLInputElement>(`[data-set-value=${CSS.escape(name)}]`);
      if (!field) continue;
      field.value = value;
      if (isFocused) field.focus();
    }
  }

  /** Loads the list; the answer to an older question is dropped. */
  async refresh(): Promise<void> {
    this.#asked++;
    const asked = this.#asked;
    try {
      const html = await this.#load();
      if (asked !== this.#asked) return;
      if (this.#place.querySelector(".is-dragged")) return; // the list is loaded once more when the row is let go
      const focused = document.activeElement as HTMLElement | null;
      const isOpen = this.#place.querySelector(".form-handle[open]") !== null;
      const hadFocus = this.#place.contains(focused);
      const isHandle = focused?.closest(".form-handle") ? true : undefined;
      const name = isHandle
        ? focused?.closest("tr")?.querySelector<HTMLElement>("th [data-choose]")?.dataset.choose
        : focused?.dataset.choose;
      const typed = this.#readTyped();
      this.#place.innerHTML = html;
      this.#installHandles();
      this.#restoreTyped(typed);
      if (!hadFocus || name === undefined) return;
      const again =
        this.#place.querySelector<HTMLElement>(`[data-choose=${CSS.escape(name)}]`) ??
        this.#place.querySelector<HTMLElement>("th [aria-current]"); // it has another name now
      const target = isHandle ? again?.closest("tr")?.querySelector<HTMLElement>(".form-handle > summary") : again;
      target?.focus();
      if (isOpen && isHandle) target?.closest("details")?.setAttribute("open", "");
    } catch (error) {
      if (asked === this.#asked && !this.#place.childElementCount) {
        this.#place.textContent =
          error instanceof CallError ? error.message : gettext("The samples could not be rendered.");
      }
    }
  }
}

function nameSample(row: HTMLElement): string {
  return row.querySelector<HTMLElement>("th [data-choose]")?.dataset.choose ?? "";
}
