// The settings of the document in form mode: its purpose, and how its model is called.
import { createElement } from "../../dom.ts";
import { formatNumber, gettext } from "../../language.ts";
import {
  type Field,
  readField,
  readSetting,
  readTags,
  writeNumber,
  writeSetting,
  writeTags,
  writeText,
} from "./front_matter.ts";
import type { Change } from "./text_edits.ts";

/** Facts about the model that the text names. */
export interface ModelFacts {
  /** Its context size in tokens; null if unknown. */
  context: number | null;
  hasOutput: boolean;
}

/** What the card needs from the form around it. */
export interface SettingsHost {
  text(): string;
  change(change: Change): void;
  goToLine(line: number): void;
  /** Models to choose from; any other can be typed. */
  models: string[];
}

interface Control {
  box: HTMLElement;
  field: HTMLInputElement | HTMLTextAreaElement;
  note: HTMLElement;
  read(text: string): Field;
  /** The edit for the input: null for no change, a sentence if it is invalid. */
  write(text: string, typed: string): Change | null | string;
}

const MODELS_ID = "form-models";
const LIMIT = 3; // the index of the token limit among the controls

/** The card: a line that summarizes the settings, and their fields, which it opens. */
export class SettingsCard {
  readonly element = createElement("details", { class: "form-settings" });
  readonly #host: SettingsHost;
  readonly #sum = createElement("span", { class: "aside" });
  readonly #output = createElement("p", { class: "form-setting form-setting-output" });
  readonly #controls: Control[];
  #facts: ModelFacts = { context: null, hasOutput: false };

  constructor(host: SettingsHost) {
    this.#host = host;
    this.#controls = [
      this.#create(
        gettext("Description"),
        gettext("What this prompt is for"),
        { wide: true },
        accessText("description"),
      ),
      this.#create(
        gettext("Tags"),
        gettext("refunds, mail"),
        {},
        {
          read: readTags,
          write: (source, typed) => writeTags(source, typed.split(",")),
        },
      ),
      this.#create(gettext("Model"), gettext("any model"), { list: MODELS_ID }, accessText("model")),
      this.#create(
        gettext("Token limit"),
        gettext("what the model takes"),
        { number: 1 },
        accessNumber("token_limit", 1),
      ),
      this.#create(gettext("Kept for the reply"), "0", { number: 1 }, accessNumber("reserve", 0)),
      this.#create(
        gettext("Temperature"),
        gettext("the model's own"),
        { number: 0.1 },
        {
          read: (source) => readSetting(source, "temperature"),
          write: (source, typed) => {
            const value = readNumber(typed, 0, false);
            return typeof value === "string" ? value : writeSetting(source, "temperature", value);
          },
        },
      ),
    ];
    const models = createElement("datalist", { id: MODELS_ID }, ...host.models.map((name) => new Option(name, name)));
    const fields = createElement(
      "div",
      { class: "form-setting-fields" },
      ...this.#controls.map((control) => control.box),
    );
    fields.append(this.#output, models);
    const texts = { "data-open": gettext("All settings"), "data-close": gettext("Close") }; // shown by the stylesheet
    this.element.append(
      createElement("summary", texts, createElement("h2", {}, gettext("Settings")), this.#sum),
      fields,
    );
  }

  /** Show the current settings of the text. The field in use is never overwritten. */
  refresh(): void {
    const source = this.#host.text();
    for (const control of this.#controls) {
      const { value, isComplex, line } = control.read(source);
      if (control.field !== document.activeElement && control.field.value !== value) control.field.value = value;
      control.field.hidden = isComplex;
      if (isComplex) control.note.replaceChildren(this.#link(gettext("Written in the source"), line));
      else if (control.note.querySelector("button")) control.note.replaceChildren();
    }
    this.#showFacts(source);
  }

  /** Update the facts about the model from the server. */
  takeFacts(facts: ModelFacts): void {
    this.#facts = facts;
    this.#showFacts(this.#host.text());
  }

  /** Open the card and put the cursor into its first field, or into the token limit. */
  openAt(field: "first" | "limit" = "first"): void {
    this.element.open = true;
    this.element.scrollIntoView({ block: "nearest" });
    this.#controls[field === "limit" ? LIMIT : 0]?.field.focus();
  }

  #showFacts(source: string): void {
    const readValue = (key: string): string => readField(source, key).value;
    const limit = Number(readValue("token_limit"));
    const reserve = Number(readValue("reserve"));
    const temperature = readSetting(source, "temperature").value;
    const { context, hasOutput } = this.#facts;
    const say = formatNumber;
    const room = limit
      ? gettext("{count} tokens", { count: say(limit) })
      : context
        ? gettext("no limit but the model's {count}", { count: say(context) })
        : gettext("no token limit");
    this.#sum.textContent = [
      readValue("model") || gettext("any model"),
      reserve ? gettext("{limit}, less {reserve} for the reply", { limit: room, reserve: say(reserve) }) : room,
      ...(temperature ? [gettext("temperature {value}", { value: temperature })] : []),
      hasOutput ? gettext("output is checked") : gettext("output is text"),
      ...(readValue("description") || readField(source, "description").isComplex
        ? []
        : [gettext("no description yet")]),
    ].join(", ");
    const model = this.#controls[2];
    if (model && !model.field.hidden)
      model.note.textContent = context ? gettext("takes up to {count} tokens", { count: say(context) }) : "";
    const outputText = hasOutput
      ? gettext("Checked by a schema or read by functions.")
      : gettext("Text, as the model writes it.");
    const go = this.#link(
      hasOutput ? gettext("Edit it in the source") : gettext("Describe it in the source"),
      readOutputLine(source),
    );
    this.#output.replaceChildren(createElement("b", {}, gettext("Output")), ` ${outputText} `, go);
  }

  #link(label: string, line: number): HTMLElement {
    const go = createElement("button", { type: "button", class: "link" }, label);
    go.addEventListener("click", () => this.#host.goToLine(line));
    return go;
  }

  #create(
    label: string,
    placeholder: string,
    options: { wide?: boolean; number?: number; list?: string },
    access: Pick<Control, "read" | "write">,
  ): Control {
    const attributes = { placeholder, list: options.list };
    const field = options.wide
      ? createElement("textarea", { placeholder, rows: 2 })
      : createElement("input", { ...attributes, inputmode: options.number ? "decimal" : undefined });
    const note = createElement("span", { class: "note" });
    const caption = createElement("span", { class: "label" }, label);
    const className = options.wide ? "form-setting form-setting-wide" : "form-setting";
    const box = createElement("label", { class: className }, caption, field, note);
    const control: Control = { box, field, note, ...access };
    field.addEventListener("change", () => this.#write(control));
    return control;
  }

  #write(control: Control): void {
    const change = control.write(this.#host.text(), control.field.value.trim());
    const isRefused = typeof change === "string";
    control.field.setAttribute("aria-invalid", String(isRefused));
    control.note.textContent = isRefused ? change : "";
    if (change && !isRefused) this.#host.change(change);
    if (!isRefused) this.refresh();
  }
}

const accessText = (key: string): Pick<Control, "read" | "write"> => ({
  read: (source) => readField(source, key),
  write: (source, typed) => writeText(source, key, typed),
});

const accessNumber = (key: string, least: number): Pick<Control, "read" | "write"> => ({
  read: (source) => readField(source, key),
  write: (source, typed) => {
    const value = readNumber(typed, least, true);
    return typeof value === "string" ? value : writeNumber(source, key, value);
  },
});

/** Parses a number; null for an empty text, a sentence if it is invalid or out of range. */
export function readNumber(typed: string, least: number, isWhole: boolean): number | null | string {
  if (typed === "") return null;
  const value = Number(typed.replaceAll(",", ""));
  if (Number.isFinite(value) && value >= least && (!isWhole || Number.isInteger(value))) return value;
  return isWhole
    ? gettext("Enter a whole number of at least {least}.", { least })
    : gettext("Enter a number of at least {least}.", { least });
}

const readOutputLine = (source: string): number => readField(source, "output").line || 1;
