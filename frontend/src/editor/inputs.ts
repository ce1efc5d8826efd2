// The inputs pane: the sample picker and one field for each input.
import { findElement } from "../dom.ts";
import { gettext } from "../language.ts";
import type { SampleState } from "./edit_history.ts";
import { drawFields, drawUnused, focusField, listDefaults } from "./input_fields.ts";
import { openJsonDialog, openSamplesDialog } from "./json_dialog.ts";
import { SampleHead } from "./sample_head.ts";
import {
  copySample,
  findNeighbour,
  findNumberedName,
  moveSample,
  type PackedSamples,
  renameSample,
  type Samples,
  setSample,
  unpackSamples,
  withoutSamples,
} from "./sample_map.ts";
import { askSampleName } from "./sample_name.ts";
import { SamplePicker } from "./sample_picker.ts";
import { addRows, type OfferedRow } from "./sample_rows.ts";
import type { Data, Json, Schema } from "./types.ts";
import { readValue, writeValue } from "./value_paths.ts";

/** The name of the sample created for values typed without one. */
const FIRST_SAMPLE = "first example";

/** Callbacks from the pane to the page. */
export interface InputsHost {
  /** The samples or the selection changed. */
  changed(): void;
  /** An undoable edit. */
  record(before: SampleState, after: SampleState): void;
  /** Closes the open step of the history. */
  commit(): void;
  removed(sample: string): void;
}

/** The inputs pane: a typed field for each input, with the values of the selected sample. */
export class Inputs {
  samples: Samples;
  #saved: Samples;
  #initial: Samples;
  #schemas: Record<string, Schema>;
  #undeclared: Record<string, Schema>;
  #drawn = "";
  readonly #fields: HTMLElement;
  readonly #text: HTMLTextAreaElement;
  readonly #picker: SamplePicker;
  readonly #host: InputsHost;
  readonly head: SampleHead;

  constructor(
    root: HTMLElement,
    setup: PackedSamples & {
      savedSamples: Record<string, Data>;
      inputs: Record<string, Schema>;
      undeclared: Record<string, Schema>;
    },
    host: InputsHost,
  ) {
    this.samples = this.#initial = unpackSamples(setup);
    this.#saved = new Map(Object.entries(setup.savedSamples));
    this.#schemas = setup.inputs;
    this.#undeclared = setup.undeclared;
    this.#host = host;
    this.#fields = findElement(root, "[data-fields]");
    this.#text = findElement(root, "textarea[name=data]");
    this.#picker = new SamplePicker(root, (name) => this.choose(name));
    findElement(root, "[data-json]").hidden = true;
    this.head = new SampleHead(root, {
      sample: () => this.sample,
      names: () => [...this.samples.keys()],
      countEdits: () => (this.#saved.has(this.sample) ? this.editedNames.length : null),
      rename: (name) => this.#rename(name),
      choose: (name) => this.choose(name),
    });
    this.#wireActions(root);
    this.#wirePaste(root);
    this.head.show();
    this.#draw();
  }

  get sample(): string {
    return this.#picker.value;
  }

  /** The values of the selected sample. */
  get data(): Data {
    return this.samples.get(this.sample) ?? {};
  }

  get state(): SampleState {
    return { samples: this.samples, sample: this.sample };
  }

  /** The inputs of the text in order, then names that occur only in the values. */
  get names(): string[] {
    return [...new Set([...Object.keys({ ...this.#undeclared, ...this.#schemas }), ...Object.keys(this.data)])];
  }

  /** The defaults of the inputs that have one. */
  get defaults(): Data {
    return listDefaults({ ...this.#undeclared, ...this.#schemas });
  }

  /** The saved values of the selected sample, else its initial ones. */
  get #before(): Data | undefined {
    return this.#saved.get(this.sample) ?? this.#initial.get(this.sample);
  }

  /** Names of the inputs whose values differ from the saved sample; empty for an unsaved sample. */
  get editedNames(): string[] {
    const saved = this.#before;
    if (!saved) return [];
    return [...new Set([...this.names, ...Object.keys(saved)])].filter(
      (name) => JSON.stringify(saved[name]) !== JSON.stringify(this.data[name]),
    );
  }

  /** Selects another sample, as the list does. */
  choose(name: string): void {
    this.load({ samples: this.samples, sample: name });
  }

  /** Marks the current samples as saved. */
  markSaved(): void {
    this.#saved = this.#initial = this.samples;
    this.#showSample();
  }

  /** Loads other samples, such as those of an undo; nothing is recorded. */
  load({ samples, sample }: SampleState): void {
    this.samples = samples;
    this.#picker.show([...samples.keys()], sample);
    this.#showSample();
    this.#host.changed();
  }

  /** Focuses the field for a path such as `customer.name`. */
  focusField(path: string): void {
    focusField(path);
  }

  /** Sets the current schemas of the text, declared and inferred; redraws only if they differ. */
  setSchemas(schemas: Record<string, Schema> | null, undeclared: Record<string, Schema>): void {
    if (schemas) this.#schemas = schemas;
    this.#undeclared = undeclared;
    this.#draw();
  }

  /** Sets the value of an input in the selected sample; undefined removes it. */
  writeValue(name: string, value: Json | undefined): void {
    this.#writeAt([name], value);
    this.#draw(true);
  }

  #wireActions(root: HTMLElement): void {
    const installButton = (selector: string, run: (button: HTMLButtonElement) => void): void => {
      const button = findElement<HTMLButtonElement>(root, selector);
      button.hidden = false;
      button.addEventListener("click", () => run(button));
    };
    const actions: [string, () => void][] = [
      ["[data-reset]", () => this.#write(structuredClone(this.#before ?? {}))],
      ["[data-duplicate]", () => this.duplicateSample()],
      ["[data-remove-sample]", () => this.removeSample()],
    ];
    for (const [selector, run] of actions)
      for (const element of root.querySelectorAll(selector)) element.addEventListener("click", run);
    installButton("[data-keep]", (opener) => this.askName(opener));
    installButton("[data-rename-sample]", (opener) => this.#askNewName(opener));
  }

  /** Adds an empty sample and selects it. */
  addSample(): void {
    const sample = findNumberedName(this.samples, (number) => gettext("sample {number}", { number }));
    this.#edit({ samples: setSample(this.samples, sample, {}), sample });
  }

  /** Duplicates the selected sample, and selects the copy after it. */
  duplicateSample(): void {
    if (!this.samples.has(this.sample)) return;
    const { samples, name } = copySample(this.samples, this.sample);
    this.#edit({ samples, sample: name });
  }

  /** Moves a sample to the place of another one. */
  moveSample(name: string, target: string): void {
    this.#edit({ samples: moveSample(this.samples, name, target), sample: this.sample });
  }

  /** Adds rows as samples after the others, in one step, and selects the first of them; returns their names. */
  addRows(rows: OfferedRow[]): string[] {
    const { samples, added } = addRows(this.samples, rows);
    if (added.length) this.#edit({ samples, sample: added[0] ?? this.sample });
    return added;
  }

  /** Shows all samples as one JSON object; replacing it is one undoable step. */
  editAllAsJson(): void {
    openSamplesDialog(this.samples, (samples) => this.#edit({ samples, sample: this.sample }));
  }

  /** Removes the selected sample; undo restores it. */
  removeSample(): void {
    const { sample } = this;
    if (!this.samples.has(sample)) return;
    this.#edit({ samples: withoutSamples(this.samples, [sample]), sample: findNeighbour(this.samples, sample) });
    this.#host.removed(sample);
  }

  #showSample(): void {
    this.#text.value = JSON.stringify(this.data, null, 2);
    this.head.show();
    this.#draw(true);
  }

  /** Edits the samples in one recorded step and shows them. */
  #edit(after: SampleState): void {
    this.#host.commit();
    this.#host.record(this.state, after);
    this.load(after);
    this.#host.commit();
  }

  /** Sets the values of the selected sample; without one they create the first. */
  #write(values: Data): void {
    const sample = this.sample || FIRST_SAMPLE;
    this.#edit({ samples: setSample(this.samples, sample, values), sample });
  }

  /** Copies the values into a sample with another name. */
  askName(opener: HTMLElement): void {
    this.#askFor(opener, gettext("Save as sample"), (sample) => {
      this.#edit({ samples: setSample(this.samples, sample, structuredClone(this.data)), sample });
    });
  }

  #askNewName(opener: HTMLElement): void {
    if (this.samples.has(this.sample)) this.#askFor(opener, gettext("Rename"), (name) => this.#rename(name));
  }

  /** Renames the selected sample, and keeps its position. */
  #rename(name: string): void {
    const old = this.sample;
    if (name === old) return;
    if (this.#before) this.#initial = setSample(this.#initial, name, this.#before); // its edits stay unsaved edits
    this.#edit({ samples: renameSample(this.samples, old, name), sample: name });
  }

  #askFor(opener: HTMLElement, verb: string, use: (sample: string) => void): void {
    const isTaken = (sample: string): boolean => sample !== this.sample && this.samples.has(sample);
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
    const store = {
      read: (path: string[]) => readValue(this.data, path),
      readSaved: (path: string[]) => (this.#before ? readValue(this.#before, path) : undefined),
      write: (path: string[], value: Json | undefined, isStep = false) => this.#writeAt(path, value, isStep),
    };
    const unused = extra.length ? drawUnused(extra, declared, () => this.#dropValues(extra)) : null;
    drawFields(this.#fields, store, schemas, unused);
  }

  #dropValues(names: string[]): void {
    this.#write(Object.fromEntries(Object.entries(this.data).filter(([name]) => !names.includes(name))));
  }

  /** Writes one value while it is being typed, without redrawing, so that the field keeps the focus. */
  #writeAt(path: string[], value: Json | undefined, isStep = false): void {
    if (isStep) this.#host.commit();
    const before = this.state;
    const values = writeValue(this.data, path, value);
    const sample = this.sample || FIRST_SAMPLE;
    if (!this.samples.has(sample)) this.#picker.show([sample], sample);
    this.samples = setSample(this.samples, sample, values);
    this.#text.value = JSON.stringify(values, null, 2);
    this.head.show();
    this.#host.record(before, this.state);
    this.#host.changed();
    if (isStep) this.#host.commit();
  }
}
