// The line above the columns: the sample to run, and a summary of its values.
import { createElement } from "../dom.ts";
import type { Data, Json } from "../editor/types.ts";
import { gettext, ngettext } from "../language.ts";
import { setOptions } from "./menus.ts";

const SHORT = 40; // longest text shown in the line

/** A value in a few words: `3 items`, `612 characters`, `Harbour Outfitters`. */
export function summarizeValue(value: Json | undefined): string {
  if (value === undefined || value === null || value === "") return gettext("no value");
  if (typeof value === "boolean") return value ? gettext("yes") : gettext("no");
  if (Array.isArray(value)) return ngettext("{count} item", "{count} items", value.length);
  if (typeof value === "object") {
    const values = Object.values(value);
    return values.length === 1 ? summarizeValue(values[0]) : ngettext("{count} field", "{count} fields", values.length);
  }
  const text = String(value);
  const length = [...text].length;
  return length > SHORT || text.includes("\n") ? ngettext("{count} character", "{count} characters", length) : text;
}

/** What the line shows. */
export interface InputsFacts {
  samples: string[];
  sample: string;
  names: string[];
  data: Data;
  /** Values used where none is typed. */
  defaults: Data;
  /** Names of inputs whose values differ from the saved ones. */
  edited: string[];
  /** Paths of required inputs without a value, and the server's errors about others. */
  problems: Record<string, string>;
}

export class InputsLine {
  readonly #values: HTMLElement;
  readonly #picker: HTMLSelectElement;
  readonly #position: HTMLElement;
  readonly #enterValue: (path: string) => void;
  #drawn = "";

  constructor(
    places: { values: HTMLElement; picker: HTMLSelectElement; position: HTMLElement },
    host: { choose(sample: string): void; enterValue(path: string): void },
  ) {
    this.#values = places.values;
    this.#picker = places.picker;
    this.#position = places.position;
    this.#enterValue = (path) => host.enterValue(path);
    this.#picker.addEventListener("change", () => host.choose(this.#picker.value));
  }

  update(facts: InputsFacts): void {
    const drawn = JSON.stringify(facts);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    const options = facts.samples.map((name) => ({ value: name, label: name }));
    setOptions(
      this.#picker,
      options.length ? options : [{ value: "", label: gettext("no samples yet") }],
      facts.sample,
    );
    const place = facts.samples.indexOf(facts.sample) + 1;
    this.#position.textContent =
      facts.samples.length > 1 ? gettext("{place} of {count}", { place, count: facts.samples.length }) : "";
    this.#values.replaceChildren(...facts.names.map((name) => this.#drawValue(name, facts)));
  }

  #drawValue(name: string, { data, defaults, edited, problems }: InputsFacts): HTMLElement {
    const path = Object.keys(problems).find(
      (problemPath) => problemPath === name || problemPath.startsWith(`${name}.`),
    );
    const item = createElement("li", {}, createElement("span", { class: "note" }, `${name} `));
    if (path !== undefined) {
      const button = createElement("button", { type: "button", class: "link play-missing" }, problems[path] ?? "");
      button.addEventListener("click", () => this.#enterValue(path));
      item.append(button);
      return item;
    }
    const isEdited = edited.includes(name);
    item.append(createElement(isEdited ? "b" : "span", { dir: "auto" }, summarizeValue(data[name] ?? defaults[name])));
    if (data[name] === undefined && defaults[name] !== undefined) {
      item.append(createElement("span", { class: "note" }, " ", gettext("by default")));
    }
    if (isEdited) item.append(createElement("span", { class: "note" }, " ", gettext("edited")));
    return item;
  }
}
