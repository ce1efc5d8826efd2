// Maps the columns of a file or a dataset to samples: guessed from names, chosen from lists, remembered.
import { readMapping, rememberMapping } from "../datasets/remembered_mapping.ts";
import { createElement, createIcon } from "../dom.ts";
import { gettext } from "../language.ts";

/** A column and its target: `id` names the sample, `inputs.question` is a value, "" isn't imported. */
export interface OfferedColumn {
  name: string;
  target: string;
}

const MAX_OPEN = 6; // more columns are collapsed initially

/** The selects that map the columns of one source. */
export class SampleColumns {
  readonly element = createElement("details", { class: "sample-columns" });
  readonly #key: string;
  readonly #changed: () => void;
  readonly #remembers = createElement("input", { type: "checkbox", checked: true });
  #headers: string[] = [];
  #guess: string[] = [];
  #mapping: string[] = [];

  /** `key` identifies the remembered mapping; `changed` is called after a change. */
  constructor(key: string, changed: () => void) {
    this.#key = key;
    this.#changed = changed;
    this.element.hidden = true;
  }

  /** The target of each column by name; null until the user chooses, so that the names decide. */
  get choice(): Record<string, string> | null {
    if (!this.isChosen) return null;
    return Object.fromEntries(this.#headers.map((header, index) => [header, this.#mapping[index] ?? ""]));
  }

  get isChosen(): boolean {
    return this.#mapping.join("\n") !== this.#guess.join("\n");
  }

  /** Whether a column is mapped to an input. */
  get hasInput(): boolean {
    return this.#mapping.some((target) => target.startsWith("inputs."));
  }

  /** The columns that aren't imported. */
  get leftOut(): string[] {
    return this.#headers.filter((_, index) => !this.#mapping[index]);
  }

  /** Discards the columns when the source changes. */
  clear(): void {
    this.#headers = this.#guess = this.#mapping = [];
    this.element.hidden = true;
  }

  /** Shows the server's mapping initially; returns true if another one is remembered for these columns. */
  begin(columns: readonly OfferedColumn[], targets: readonly string[]): boolean {
    this.#headers = columns.map(({ name }) => name);
    this.#guess = columns.map(({ target }) => target);
    const remembered = readMapping(this.#key, this.#headers);
    const knownTargets = new Set(["", "id", ...targets, ...this.#guess]);
    this.#mapping = remembered?.every((target) => knownTargets.has(target)) ? remembered : [...this.#guess];
    this.#draw(targets);
    this.element.open = this.isChosen || !this.hasInput || columns.length <= MAX_OPEN;
    return this.isChosen;
  }

  /** Remembers the mapping for the next source with these columns, or forgets it. */
  remember(): void {
    if (!this.#headers.length) return;
    rememberMapping(this.#key, this.#headers, this.isChosen && this.#remembers.checked ? this.#mapping : null);
  }

  #draw(targets: readonly string[]): void {
    const fields = this.#headers.map((header, index) => {
      const own = this.#mapping[index] ?? "";
      const values = [...new Set(["", "id", ...targets, this.#guess[index] ?? "", own])];
      const select = createElement("select", { "aria-label": gettext("Column {name} becomes", { name: header }) });
      for (const value of values) {
        const isTaken = value !== "" && value !== own && this.#mapping.includes(value);
        select.append(createElement("option", { value, disabled: isTaken }, describeTarget(value)));
      }
      select.value = own;
      select.addEventListener("change", () => {
        this.#mapping[index] = select.value;
        this.#draw(targets);
        this.element.querySelectorAll("select")[index]?.focus();
        this.#changed();
      });
      const box = createElement("span", { class: "select" }, select, createIcon("chevrons-up-down"));
      return createElement("div", {}, createElement("code", { dir: "auto" }, header), box);
    });
    const remembers = createElement(
      "label",
      { class: "check" },
      this.#remembers,
      ` ${gettext("Remember this mapping")}`,
    );
    remembers.hidden = !this.isChosen;
    this.element.replaceChildren(
      createElement("summary", {}, gettext("What the columns become")),
      createElement("div", { class: "sample-columns-list" }, ...fields),
      remembers,
    );
    this.element.hidden = false;
  }
}

function describeTarget(target: string): string {
  if (target === "") return gettext("Don’t import");
  return target === "id" ? gettext("Name of the sample") : target.replace(/^inputs\./, "");
}
