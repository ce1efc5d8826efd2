// The settings of a column: temperature, top p, seed and the longest reply, which override the document's.
import { createElement, createIcon } from "../dom.ts";
import { gettext } from "../language.ts";
import { type Column, DRAFT } from "./columns.ts";
import { createMenu } from "./menus.ts";
import type { RunState } from "./state.ts";
import type { Settings } from "./types.ts";

interface SettingField {
  name: keyof Settings;
  label: string;
  min: number;
  max?: number;
  step: string;
}

const FIELDS: SettingField[] = [
  { name: "temperature", label: gettext("Temperature"), min: 0, max: 2, step: "0.1" },
  { name: "top_p", label: gettext("Top p"), min: 0, max: 1, step: "0.05" },
  { name: "seed", label: gettext("Seed"), min: 0, step: "1" },
  { name: "max_tokens", label: gettext("Longest reply, in tokens"), min: 1, step: "1" },
];

/** The draft's values, which apply if a field is empty; those of other versions aren't known here. */
function findSavedSettings(state: RunState, column: Column): Record<string, unknown> {
  return column.source === DRAFT ? state.facts.settings : {};
}

/** The text of the button: the temperature if known, and how many other settings were changed. */
export function describeSettings(state: RunState, column: Column): string {
  const temperature = column.settings.temperature ?? findSavedSettings(state, column).temperature;
  const others = FIELDS.filter(({ name }) => name !== "temperature" && column.settings[name] !== undefined).length;
  const summary =
    typeof temperature === "number" ? gettext("Temperature {value}", { value: temperature }) : gettext("Settings");
  return others ? gettext("{settings}, {count} changed", { settings: summary, count: others }) : summary;
}

/** The button with the form below it. */
export class SettingsMenu {
  readonly element: HTMLDetailsElement;
  readonly #summary = createElement("span");
  readonly #boxes = new Map<keyof Settings, HTMLInputElement>();

  constructor(key: number, choose: (settings: Settings) => void) {
    const sheet = createElement("div", {
      class: "play-sheet play-settings",
      role: "group",
      "aria-label": gettext("Settings"),
    });
    for (const { name, label, ...limits } of FIELDS) {
      const id = `play-${key}-${name}`;
      const box = createElement("input", { type: "number", id, ...limits });
      box.addEventListener("input", () => {
        if (box.validity.valid) choose(this.#read());
      });
      this.#boxes.set(name, box);
      sheet.append(createElement("div", { class: "field" }, createElement("label", { for: id }, label), box));
    }
    sheet.append(
      createElement(
        "p",
        { class: "note" },
        gettext("Where a field is empty, the document's value applies. Nothing here is saved."),
      ),
    );
    const summary = createElement(
      "summary",
      { class: "button button-small" },
      createIcon("sliders-horizontal"),
      this.#summary,
    );
    this.element = createMenu(summary, sheet);
  }

  #read(): Settings {
    const settings: Settings = {};
    for (const [name, box] of this.#boxes) if (box.value !== "") settings[name] = box.valueAsNumber;
    return settings;
  }

  update(state: RunState, column: Column): void {
    this.#summary.textContent = describeSettings(state, column);
    const saved = findSavedSettings(state, column);
    const isDraft = column.source === DRAFT;
    for (const [name, box] of this.#boxes) {
      const value = column.settings[name];
      if (box !== document.activeElement) box.value = value === undefined ? "" : String(value);
      const fallback = saved[name];
      box.placeholder =
        typeof fallback === "number" ? String(fallback) : isDraft ? gettext("not set") : gettext("as saved");
    }
  }
}
