// The inputs pane: the sample picker and one field for each input.
import { createElement, findElement } from "../dom.ts";
import { gettext } from "../language.ts";
import type { SampleState } from "./edit_history.ts";
import { drawField } from "./fields.ts";
import { openJsonDialog, openSamplesDialog } from "./json_dialog.ts";
import { askSampleName } from "./sample_name.ts";
import { addRows, moveSample, type OfferedRow } from "./sample_rows.ts";
import type { Data, Json, Schema } from "./types.ts";

/** What values become that were typed where no sample was. */
const FIRST_SAMPLE = "first example";

/** Callbacks from the pane to the page. */
export interface InputsHost {
  /** The samples or the choice among them changed. */
  changed(): void;
  /** An edit that can be undone. */
  record(before: SampleState, after: SampleState): void;
  removed(sample: string): void;
}

/** The inputs pane: a typed field for each input, over the values of the sample that is chosen. */
export class Inputs {
  samples: Record<string, Data>;
  readonly #saved: Record<string, Data>;
  #schemas: Record<string, Schema>;
  #undeclared: Record<string, Schema>;
  #drawn = "";
  readonly #fields: HTMLElement;
  readonly #text: HTMLTextAreaElement;
  readonly #picker: HTMLSelectElement;
  readonly #shown: HTMLInputElement;
  readonly #host: InputsHost;

  constructor(
    root: HTMLElement,
    setup: {
      samples: Record<string, Data>;
      savedSamples: Record<string, Data>;
      inputs: Record<string, Schema>;
      undeclared: Record<string, Schema>;
    },
    host: InputsHost,
  ) {
    this.samples = setup.samples;
    this.#saved = { ...structuredClone(setup.samples), ...structuredClone(setup.savedSamples) };
    this.#schemas = setup.inputs;
    this.#undeclared = setup.undeclared;
    this.#host = host;
    this.#fields = findElement(root, "[data-fields]");
    this.#text = findElement(root, "textarea[name=data]");
    this.#picker = findElement(root, "select[name=sample]");
    this.#shown = findElement(root, "input[name=shown_sample]");
    findElement(root, "[data-json]").hidden = true;
    this.#wirePicker(root);
    this.#wirePaste(root);
    this.#draw();
  }

  get sample(): string {
    return this.#picker.value;
  }

  /** The values of the chosen sample. */
  get data(): Data {
    return this.samples[this.sample] ?? {};
  }

  get state(): SampleState {
    return { samples: this.samples, sample: this.sample };
  }

  /** The inputs of the text in their order, then those that only the values have. */
  get names(): string[] {
    return [...new Set([...Object.keys({ ...this.#undeclared, ...this.#schemas }), ...Object.keys(this.data)])];
  }

  /** The defaults of the inputs that have one. */
  get defaults(): Data {
    const entries = Object.entries({ ...this.#undeclared, ...this.#schemas });
    return Object.fromEntries(
      entries.flatMap(([name, schema]) => (schema.default === undefined ? [] : [[name, schema.default]])),
    );
  }

  /** Names of the inputs whose values are not as the sample was saved; none for a sample that never was. */
  get editedNames(): string[] {
    const saved = this.#saved[this.sample];
    if (!saved) return [];
    return this.names.filter((name) => JSON.stringify(saved[name]) !== JSON.stringify(this.data[name]));
  }

  /** Shows another sample, as choosing it in the list does. */
  choose(name: string): void {
    this.load({ samples: this.samples, sample: name });
  }

  /** Takes other samples, such as those that an undo brings back; nothing is recorded. */
  load({ samples, sample }: SampleState): void {
    this.samples = samples;
    const names = Object.keys(samples);
    const options = names.length
      ? names.map((name) => new Option(name, name))
      : [new Option(gettext("no samples yet"), "")];
    this.#picker.replaceChildren(...options);
    this.#picker.value = sample in samples ? sample : (names[0] ?? "");
    this.#showSample();
    this.#host.changed();
  }

  /** Focuses the field for a path such as `customer.name`. */
  focusField(path: string): void {
    const field = document.getElementById(`input-${path}`) ?? document.getElementById(`input-${path.split(".")[0]}`);
    field?.scrollIntoView({ block: "center" });
    field?.focus();
  }

  /** Takes the schemas of the text as it is now, declared and inferred; redraws only when they differ. */
  setSchemas(schemas: Record<string, Schema> | null, undeclared: Record<string, Schema>): void {
    if (schemas) this.#schemas = schemas;
    this.#undeclared = undeclared;
    this.#draw();
  }

  /** Gives an input another value in the sample that is shown; undefined takes its value away. */
  writeValue(name: string, value: Json | undefined): void {
    this.#writeAt([name], value);
    this.#draw(true);
  }

  #wirePicker(root: HTMLElement): void {
    this.#picker.addEventListener("change", () => this.choose(this.#picker.value));
    const button = (selector: string, run: (button: HTMLButtonElement) => void): void => {
      const found = findElement<HTMLButtonElement>(root, selector);
      found.hidden = false;
      found.addEventListener("click", () => run(found));
    };
    button("[data-reset]", () => this.#write(structuredClone(this.#saved[this.sample] ?? {})));
    button("[data-duplicate]", () => this.duplicateSample());
    button("[data-keep]", (opener) => this.askName(opener));
    button("[data-rename-sample]", (opener) => this.askNewName(opener));
    button("[data-remove-sample]", () => this.removeSample());
    this.#showPosition();
  }

  /** Adds a sample without values, and shows it. */
  addSample(): void {
    let number = Object.keys(this.samples).length + 1;
    while (gettext("sample {number}", { number }) in this.samples) number += 1;
    const sample = gettext("sample {number}", { number });
    this.#edit({ samples: { ...this.samples, [sample]: {} }, sample });
  }

  /** Adds a copy of the sample that is shown, after it, and shows the copy. */
  duplicateSample(): void {
    const original = this.sample;
    if (!(original in this.samples)) return;
    let number = 2;
    while (`${original} ${number}` in this.samples) number += 1;
    const sample = `${original} ${number}`;
    const entries = Object.entries(this.samples).flatMap(([name, values]): [string, Data][] =>
      name === original
        ? [
            [name, values],
            [sample, structuredClone(values)],
          ]
        : [[name, values]],
    );
    this.#edit({ samples: Object.fromEntries(entries), sample });
  }

  /** Moves a sample to another place. */
  moveSample(from: number, to: number): void {
    this.#edit({ samples: moveSample(this.samples, from, to), sample: this.sample });
  }

  /** Adds rows as samples after the others, in one step, and shows the first of them; gives the names they got. */
  addRows(rows: OfferedRow[]): string[] {
    const { samples, added } = addRows(this.samples, rows);
    if (added.length) this.#edit({ samples, sample: added[0] ?? this.sample });
    return added;
  }

  /** Shows all samples as one JSON object; what is typed in its place is one step that can be undone. */
  editAllAsJson(): void {
    openSamplesDialog(this.samples, (samples) => this.#edit({ samples, sample: this.sample }));
  }

  /** Removes the sample that is shown; an undo brings it back. */
  removeSample(): void {
    const { sample } = this;
    if (!(sample in this.samples)) return;
    const { [sample]: _removed, ...rest } = this.samples;
    this.#edit({ samples: rest, sample: Object.keys(rest)[0] ?? "" });
    this.#host.removed(sample);
  }

  #showSample(): void {
    this.#shown.value = this.sample;
    this.#text.value = JSON.stringify(this.data, null, 2);
    this.#showPosition();
    this.#draw(true);
  }

  #showPosition(): void {
    const place = document.querySelector("[data-position]");
    const { length } = this.#picker.options;
    if (place)
      place.textContent =
        length > 1 ? gettext("{place} of {count}", { place: this.#picker.selectedIndex + 1, count: length }) : "";
  }

  /** Edits the samples in one recorded step and shows them. */
  #edit(after: SampleState): void {
    this.#host.record(this.state, after);
    this.load(after);
  }

  /** Other values for the chosen sample; without one they become the first. */
  #write(values: Data): void {
    const sample = this.sample || FIRST_SAMPLE;
    this.#edit({ samples: { ...this.samples, [sample]: values }, sample });
  }

  /** Copies the values into a sample of another name. */
  askName(opener: HTMLElement): void {
    this.#askFor(opener, gettext("Save as sample"), (sample) => {
      this.#edit({ samples: { ...this.samples, [sample]: structuredClone(this.data) }, sample });
    });
  }

  /** Gives the sample that is shown another name, in its place. */
  askNewName(opener = findElement(document, "[data-rename-sample]")): void {
    const old = this.sample;
    if (!(old in this.samples)) return;
    this.#askFor(opener, gettext("Rename"), (sample) => {
      const entries = Object.entries(this.samples).map(([name, values]) => [name === old ? sample : name, values]);
      this.#edit({ samples: Object.fromEntries(entries) as Record<string, Data>, sample });
    });
  }

  #askFor(opener: HTMLElement, verb: string, use: (sample: string) => void): void {
    const isTaken = (sample: string): boolean => sample !== this.sample && sample in this.samples;
    askSampleName(opener, verb, this.sample, isTaken, use);
  }

  #wirePaste(root: HTMLElement): void {
    const opener = findElement<HTMLButtonElement>(root, "[data-paste]");
    opener.hidden = false;
    opener.addEventListener("click", () => {
      openJsonDialog(this.data, (values) => this.#write(values));
    });
  }

  #draw(force = false): void {
    const schemas: Record<string, Schema> = { ...this.#undeclared, ...this.#schemas };
    const declared = Object.keys(this.#schemas).length > 0;
    const extra = Object.keys(this.data).filter((name) => !(name in schemas));
    const shape = JSON.stringify([schemas, extra]);
    if (shape === this.#drawn && !force) return;
    this.#drawn = shape;
    const focused = document.activeElement?.id;
    const store = {
      read: (path: string[]) => this.#read(path),
      write: (path: string[], value: Json | undefined) => this.#writeAt(path, value),
    };
    this.#fields.replaceChildren(
      ...Object.entries(schemas).map(([name, schema]) =>
        drawField(store, [name], schema, schema.default === undefined),
      ),
    );
    if (extra.length) this.#fields.append(this.#extras(extra, declared));
    if (!this.#fields.childElementCount) {
      this.#fields.append(createElement("p", { class: "note" }, gettext("This text uses no inputs.")));
    }
    if (focused) document.getElementById(focused)?.focus();
  }

  #extras(names: string[], declared: boolean): HTMLElement {
    const values = { names: names.join(", ") };
    const words = declared
      ? gettext("Not declared, so not used: {names}.", values)
      : gettext("Not used by the text: {names}.", values);
    const drop = createElement(
      "button",
      { type: "button", class: "button button-quiet button-small" },
      gettext("Remove"),
    );
    drop.addEventListener("click", () => {
      this.#write(Object.fromEntries(Object.entries(this.data).filter(([name]) => !names.includes(name))));
    });
    return createElement("p", { class: "inputs-extra" }, `${words} `, drop);
  }

  #read(path: string[]): Json | undefined {
    let value: Json | undefined = this.data;
    for (const step of path) {
      value = value !== null && typeof value === "object" && !Array.isArray(value) ? value[step] : undefined;
    }
    return value;
  }

  /** Writes one value while it is being typed: the field keeps its focus, so nothing is drawn again. */
  #writeAt(path: string[], value: Json | undefined): void {
    const before = this.state;
    const values = structuredClone(this.data);
    let holder: Data = values;
    for (const step of path.slice(0, -1)) {
      const inner = holder[step];
      const next: Data = inner !== null && typeof inner === "object" && !Array.isArray(inner) ? inner : {};
      holder[step] = next;
      holder = next;
    }
    const last = path[path.length - 1] ?? "";
    if (value === undefined) delete holder[last];
    else holder[last] = value;
    const sample = this.sample || FIRST_SAMPLE;
    if (!(sample in this.samples)) {
      this.#picker.replaceChildren(new Option(sample, sample, true, true));
      this.#shown.value = sample;
    }
    this.samples = { ...this.samples, [sample]: values };
    this.#text.value = JSON.stringify(values, null, 2);
    this.#host.record(before, this.state);
    this.#host.changed();
  }
}
