// The import page's field for pasted text: line numbers and marks for what its format recognizes, drawn behind the
// field.
import { createElement } from "../dom.ts";

/** Longer text is shown without marks: redrawing it on each keystroke would be noticeable. */
const MAX_LETTERS = 40_000;

/** What is marked: placeholders that became inputs, and the markers of a chat format. */
export interface Marks {
  inputs: string[];
  markers: string[];
}

/** A run of a line; `look` is empty for plain text. */
export interface Stretch {
  text: string;
  look: "" | "input" | "marker";
}

/** Starts on a page with the field; the server sends the marks in `data-marks` with each response. */
export function installMarkedText(): void {
  const [lines, field] = findMarkedField();
  if (!lines || !field) return;
  field.addEventListener("input", drawMarkedText);
  field.addEventListener("scroll", () => {
    lines.scrollTop = field.scrollTop;
  });
  drawMarkedText();
}

/** Redraws the lines of the field after its text or the marks changed. */
export function drawMarkedText(): void {
  const [lines, field] = findMarkedField();
  if (!lines || !field) return;
  const isDrawn = field.value.length > 0 && field.value.length <= MAX_LETTERS;
  field.classList.toggle("is-marked", isDrawn);
  lines.replaceChildren(...(isDrawn ? drawLines(field.value, readMarks()) : []));
  lines.scrollTop = field.scrollTop;
}

function findMarkedField(): [HTMLElement | null, HTMLTextAreaElement | null] {
  const lines = document.querySelector<HTMLElement>("[data-marked-lines]");
  return [lines, lines?.parentElement?.querySelector("textarea") ?? null];
}

function readMarks(): Marks {
  const text = document.querySelector<HTMLElement>("#text-marks")?.dataset.marks;
  return text ? (JSON.parse(text) as Marks) : { inputs: [], markers: [] };
}

function drawLines(text: string, marks: Marks): HTMLElement[] {
  const split = stretchSplitter(marks);
  return text.split("\n").map((line) => {
    const spans = split(line).map(({ text: stretch, look }) =>
      look ? createElement("span", { class: `marked-${look}` }, stretch) : stretch,
    );
    return createElement("div", {}, ...spans, line ? "" : "\u200b"); // an empty line keeps its height
  });
}

/** A function that splits a line at the marks; if two begin at the same place, the longer one wins. */
export function stretchSplitter(marks: Marks): (line: string) => Stretch[] {
  const lookOf = new Map<string, Stretch["look"]>([
    ...marks.markers.map((text): [string, Stretch["look"]] => [text, "marker"]),
    ...marks.inputs.map((text): [string, Stretch["look"]] => [text, "input"]),
  ]);
  const longestFirst = [...lookOf.keys()].filter(Boolean).sort((one, other) => other.length - one.length);
  if (!longestFirst.length) return (line) => [{ text: line, look: "" }];
  const pattern = new RegExp(`(${longestFirst.map(escapePattern).join("|")})`);
  return (line) =>
    line
      .split(pattern)
      .filter(Boolean)
      .map((text) => ({ text, look: lookOf.get(text) ?? "" }));
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}
