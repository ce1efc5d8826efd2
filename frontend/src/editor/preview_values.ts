// Preview values of undeclared inputs: one control for each in the notice above the text.
import type { Data, Json } from "./types.ts";

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

interface Wiring {
  /** The values of the displayed sample. */
  values: () => Data;
  write: (name: string, value: Json | undefined) => void;
}

/** Writes input into the displayed sample, and shows the sample's values. */
export class PreviewValues {
  readonly #region: HTMLElement;
  readonly #wiring: Wiring;

  constructor(region: HTMLElement, wiring: Wiring) {
    this.#region = region;
    this.#wiring = wiring;
    region.addEventListener("input", (event) => {
      const control = event.target as Control;
      const kind = control.dataset.value;
      if (kind) this.#wiring.write(readInputName(control, kind), readTyped(control.value, kind));
    });
    this.fill();
  }

  /** Shows the current values; a focused control stays unchanged. */
  fill(): void {
    const values = this.#wiring.values();
    for (const control of this.#region.querySelectorAll<Control>("[data-value]")) {
      const kind = control.dataset.value ?? "";
      if (control !== document.activeElement) control.value = writeTyped(values[readInputName(control, kind)], kind);
    }
  }
}

const readInputName = (control: Control, kind: string): string => control.name.slice(`value.${kind}.`.length);

/** Parses a typed value, undefined for none. A list has one item per line; an invalid number stays text. */
export function readTyped(text: string, kind: string): Json | undefined {
  if (!text.trim()) return undefined;
  if (kind === "list") {
    const lines = text.split("\n").map((line) => line.trim());
    return lines.filter((line) => line);
  }
  if (kind === "yes-no") return text === "yes";
  if (kind !== "number") return text;
  const number = Number(text);
  return Number.isFinite(number) ? number : text;
}

/** The value as its control shows it, empty for one of another kind. */
export function writeTyped(value: Json | undefined, kind: string): string {
  if (kind === "list") return Array.isArray(value) ? value.map(String).join("\n") : "";
  if (typeof value === "boolean") return kind === "yes-no" ? (value ? "yes" : "no") : "";
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
