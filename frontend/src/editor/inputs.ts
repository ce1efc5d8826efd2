// The inputs pane: the sample picker and one field for each input.
import { createElement, findElement } from "../dom.ts";
import { drawField } from "./fields.ts";
import type { Data, Json, Schema } from "./types.ts";

/** Guesses a schema for an input that the document does not declare, from its name's value. */
const guessSchema = (value: Json | undefined): Schema => {
  if (typeof value === "string" || value === undefined) return { type: "string" };
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) {
    return { type: "array", items: { type: "string" } };
  }
  return {};
};

/** The inputs panel: a typed field for each declared input, all over one JSON object that the preview is made from. */
export class Inputs {
  data: Data;
  samples: Record<string, Data>;
  #schemas: Record<string, Schema>;
  #names: string[] = [];
  #drawn = "";
  readonly #fields: HTMLElement;
  readonly #text: HTMLTextAreaElement;
  readonly #picker: HTMLSelectElement;
  readonly #changed: () => void;

  constructor(
    root: HTMLElement,
    setup: { data: Data; samples: Record<string, Data>; inputs: Record<string, Schema> },
    changed: () => void,
  ) {
    this.data = setup.data;
    this.samples = setup.samples;
    this.#schemas = setup.inputs;
    this.#changed = changed;
    this.#fields = findElement(root, "[data-fields]");
    this.#text = findElement(root, "textarea[name=data]");
    this.#picker = findElement(root, "select[name=sample]");
    findElement(root, "[data-json]").hidden = true;
    this.#wirePicker(root);
    this.#wirePaste(root);
    this.#draw();
  }

  get sample(): string {
    return this.#picker.value;
  }

  /** Puts another sample in, as choosing it in the list does. */
  choose(name: string): void {
    this.#picker.value = name;
    this.#reset();
  }

  /** Takes the schemas of the text as it is now, and the names it uses; redraws only when they differ. */
  setSchemas(schemas: Record<string, Schema> | null, names: string[]): void {
    if (schemas) this.#schemas = schemas;
    this.#names = names;
    this.#draw();
  }

  #wirePicker(root: HTMLElement): void {
    this.#picker.addEventListener("change", () => this.#reset());
    const reset = findElement<HTMLButtonElement>(root, "[data-reset]");
    reset.hidden = false;
    reset.addEventListener("click", () => this.#reset());
    const keep = findElement<HTMLButtonElement>(root, "[data-keep]");
    keep.hidden = false;
    keep.addEventListener("click", () => this.#askName(keep));
    this.#showPosition();
  }

  #reset(): void {
    this.data = structuredClone(this.samples[this.#picker.value] ?? {});
    this.#showPosition();
    this.#draw(true);
    this.#tell();
  }

  #showPosition(): void {
    const place = document.querySelector("[data-position]");
    const { length } = this.#picker.options;
    if (place) place.textContent = length > 1 ? `${this.#picker.selectedIndex + 1} of ${length}` : "";
  }

  /** Keeps the inputs as a sample, under a name: it is saved with the next version. */
  #askName(opener: HTMLElement): void {
    const name = createElement("input", {
      type: "text",
      "aria-label": "Name of the sample",
      maxlength: 80,
      required: true,
    });
    name.value = this.#picker.value;
    const keep = createElement("button", { type: "button", class: "button button-small" }, "Keep");
    const row = createElement("div", { class: "inputs-keep" }, name, keep);
    const done = (): void => {
      const named = name.value.trim();
      if (!named) {
        name.focus();
        return;
      }
      this.samples = { ...this.samples, [named]: structuredClone(this.data) };
      if (![...this.#picker.options].some((option) => option.value === named)) {
        this.#picker.add(new Option(named, named));
      }
      this.#picker.value = named;
      this.#showPosition();
      row.remove();
      opener.hidden = false;
      opener.focus();
      this.#changed();
    };
    keep.addEventListener("click", done);
    name.addEventListener("keydown", (event) => {
      if (event.key === "Enter") {
        event.preventDefault();
        done();
      } else if (event.key === "Escape") {
        row.remove();
        opener.hidden = false;
        opener.focus();
      }
    });
    opener.hidden = true;
    opener.after(row);
    name.select();
  }

  #wirePaste(root: HTMLElement): void {
    const opener = findElement<HTMLButtonElement>(root, "[data-paste]");
    opener.hidden = false;
    opener.addEventListener("click", () => {
      const area = createElement("textarea", {
        rows: 12,
        spellcheck: "false",
        class: "mono",
        "aria-label": "Inputs as JSON",
      });
      area.value = JSON.stringify(this.data, null, 2);
      const said = createElement("p", { class: "field-error", role: "alert" });
      const use = createElement("button", { type: "button", class: "button button-primary" }, "Use these inputs");
      const leave = createElement("button", { type: "button", class: "button button-quiet" }, "Leave as it is");
      const dialog = createElement("dialog", { class: "dialog", "aria-label": "Inputs as JSON" });
      dialog.append(
        createElement("h2", {}, "Inputs as JSON"),
        createElement("p", { class: "note" }, "Paste one object; its keys are the inputs."),
        area,
        said,
        createElement("div", { class: "dialog-foot" }, use, leave),
      );
      use.addEventListener("click", () => {
        const problem = this.#takeJson(area.value);
        if (problem) said.textContent = problem;
        else dialog.close();
      });
      leave.addEventListener("click", () => dialog.close());
      dialog.addEventListener("close", () => dialog.remove());
      document.body.append(dialog);
      dialog.showModal();
      area.select();
    });
  }

  #takeJson(text: string): string | null {
    let parsed: Json;
    try {
      parsed = JSON.parse(text) as Json;
    } catch (error) {
      return `This is not JSON: ${(error as Error).message}.`;
    }
    if (parsed === null || typeof parsed !== "object" || Array.isArray(parsed)) {
      return 'The inputs must be one JSON object, like {"question": "…"}.';
    }
    this.data = parsed;
    this.#draw(true);
    this.#tell();
    return null;
  }

  #tell(): void {
    this.#text.value = JSON.stringify(this.data, null, 2);
    this.#changed();
  }

  #draw(force = false): void {
    const schemas: Record<string, Schema> = { ...this.#schemas };
    const declared = Object.keys(schemas).length > 0;
    if (!declared) for (const name of this.#names) schemas[name] = guessSchema(this.data[name]);
    const extra = Object.keys(this.data).filter((name) => !(name in schemas));
    const shape = JSON.stringify([schemas, extra]);
    if (shape === this.#drawn && !force) return;
    this.#drawn = shape;
    const focused = document.activeElement?.id;
    const store = {
      read: (path: string[]) => this.#read(path),
      write: (path: string[], value: Json | undefined) => this.#write(path, value),
    };
    this.#fields.replaceChildren(
      ...Object.entries(schemas).map(([name, schema]) =>
        drawField(store, [name], schema, schema.default === undefined),
      ),
    );
    if (extra.length) this.#fields.append(this.#extras(extra, declared));
    if (!this.#fields.childElementCount) {
      this.#fields.append(createElement("p", { class: "note" }, "This text uses no inputs."));
    }
    if (focused) document.getElementById(focused)?.focus();
  }

  #extras(names: string[], declared: boolean): HTMLElement {
    const words = declared ? "Not declared, so not used:" : "Not used by the text:";
    const drop = createElement("button", { type: "button", class: "button button-quiet button-small" }, "Leave out");
    drop.addEventListener("click", () => {
      for (const name of names) delete this.data[name];
      this.#draw(true);
      this.#tell();
    });
    return createElement("p", { class: "inputs-extra" }, `${words} ${names.join(", ")}. `, drop);
  }

  #read(path: string[]): Json | undefined {
    let value: Json | undefined = this.data;
    for (const step of path) {
      value = value !== null && typeof value === "object" && !Array.isArray(value) ? value[step] : undefined;
    }
    return value;
  }

  #write(path: string[], value: Json | undefined): void {
    let holder: Data = this.data;
    for (const step of path.slice(0, -1)) {
      const inner = holder[step];
      const next: Data = inner !== null && typeof inner === "object" && !Array.isArray(inner) ? inner : {};
      holder[step] = next;
      holder = next;
    }
    const last = path[path.length - 1] ?? "";
    if (value === undefined) delete holder[last];
    else holder[last] = value;
    this.#tell();
  }
}
