// The line in the head of a dataset with its unsaved changes, and since when this browser has stored them.
import { createElement, formatTimeAgo } from "../dom.ts";
import { gettext, ngettext } from "../language.ts";
import { dropKeptRows, keepRows, listReplacedNames, packRows, readKeptRows, unpackRows } from "./kept_rows.ts";
import type { Grid } from "./types.ts";

const PAUSE = 400; // milliseconds after the last change
const TICK = 5000;
const MAX_NAMES = 5; // rows named in a sentence

export interface RowsToKeep {
  readonly grid: Grid;
  isChanged(): boolean;
  apply(grid: Grid, description: string): void;
  undo(): void;
}

export class RowAutosave {
  readonly #view: RowsToKeep;
  readonly #saved: Grid;
  readonly #name: string;
  readonly #base: string;
  readonly #line: HTMLElement | null;
  #timer = 0;
  #keptAt = 0;
  #isFull = false;
  #changes = "";

  /** name: of the dataset, empty for a new one, for which nothing is stored. base: the digest of the saved version. */
  constructor(view: RowsToKeep, saved: Grid, options: { name: string; base: string; line: HTMLElement | null }) {
    this.#view = view;
    this.#saved = saved;
    this.#name = options.name && `${document.body.dataset.person ?? ""}:${options.name}`;
    this.#base = options.base;
    this.#line = options.line;
    if (this.#name) setInterval(() => this.#draw(), TICK);
  }

  /** Restores stored changes as one undoable step, with a notice at the top of the section. */
  restore(section: HTMLElement): void {
    const keptRows = this.#name ? readKeptRows(this.#name) : null;
    if (!keptRows) return;
    this.#view.apply(unpackRows(keptRows, this.#saved, this.#base), gettext("changes put back"));
    const drop = createElement(
      "button",
      { type: "button", class: "button button-small button-quiet" },
      gettext("Remove it"),
    );
    const message = gettext("Restored what you changed {when}.", { when: formatTimeAgo(keptRows.at) });
    const replaced = listReplacedNames(keptRows, this.#saved, this.#base);
    const sentences = [message, ...(replaced.length ? [describeReplaced(replaced)] : [])].join(" ");
    const note = createElement("p", { class: "note kept-note", role: "status" }, `${sentences} `, drop);
    drop.addEventListener("click", () => {
      this.#view.undo();
      note.remove();
    });
    section.prepend(note);
  }

  /** Stores the rows soon. changes: the differences from the saved version, in words. */
  update(changes: string): void {
    this.#changes = changes;
    this.#draw();
    if (!this.#name) return;
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.flush(), PAUSE);
  }

  /** Stores the rows now; false if they are changed and this browser doesn't store them. */
  flush(): boolean {
    clearTimeout(this.#timer);
    if (!this.#name) return false;
    if (!this.#view.isChanged()) {
      this.forget();
      return true;
    }
    this.#isFull = !keepRows(this.#name, packRows(this.#view.grid, this.#saved, this.#base));
    this.#keptAt = Date.now();
    this.#draw();
    return !this.#isFull;
  }

  forget(): void {
    clearTimeout(this.#timer);
    if (this.#name) dropKeptRows(this.#name);
    this.#keptAt = 0;
    this.#draw();
  }

  #draw(): void {
    if (!this.#line) return;
    const badge = createElement("span", { class: "badge" }, gettext("Draft"));
    const parts = this.#changes ? [badge, ` ${this.#changes}. `, this.#describePlace()] : [gettext("No changes.")];
    const key = parts.map((part) => (typeof part === "string" ? part : part.textContent)).join("");
    if (this.#line.textContent === key) return;
    this.#line.replaceChildren(...parts);
  }

  #describePlace(): string {
    if (this.#isFull) return gettext("Too much for this browser to keep: save before you leave.");
    if (!this.#keptAt) return "";
    return gettext("Kept in this browser {when}.", { when: formatTimeAgo(this.#keptAt) });
  }
}

/** Says which rows of the newer version were replaced. */
function describeReplaced(names: readonly string[]): string {
  const nameList = names.slice(0, MAX_NAMES).join(", ");
  const more = names.length - MAX_NAMES;
  const list = more > 0 ? gettext("{names} and {count} more", { names: nameList, count: more }) : nameList;
  return ngettext(
    "A newer version was saved. Your row replaces its row of that name; changes made there are not here: {names}.",
    "A newer version was saved. Your rows replace its rows of those names; changes made there are not here: {names}.",
    names.length,
    { names: list },
  );
}
