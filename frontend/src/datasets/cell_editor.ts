// The field for editing a cell. It overlays the cell and grows with its text.
import { createElement } from "../dom.ts";
import { gettext } from "../language.ts";
import { findProblem, readCell, readCellText } from "./cells.ts";
import { splitTags } from "./tags.ts";
import type { Cell, Column } from "./types.ts";

export type Move = "stay" | "down" | "right" | "left";

export interface EditorOptions {
  /** The scrolling box that contains the field. */
  box: HTMLElement;
  target: HTMLElement;
  /** The currently rendered cell. */
  findTarget: () => HTMLElement | null;
  /** The tags used in the grid. */
  knownTags: readonly string[];
  column: Column;
  cell: Cell | undefined;
  label: string;
  /** A typed character that starts a new text; undefined edits the existing text. */
  typed?: string | undefined;
  commit: (cell: Cell | undefined, move: Move) => void;
  cancel: () => void;
}

/** An open editor; `close` saves its content and removes it. */
export interface CellEditor {
  close: () => void;
}

const MAX_LINES = 12;

/** Opens the field. Enter saves the text, Alt Enter breaks the line, Tab moves to the next cell, Esc cancels. */
export function openCellEditor(options: EditorOptions): CellEditor {
  const { box, column, cell } = options;
  const before = readCellText(cell, column.kind);
  const suggestions = createElement("datalist", { id: "grid-cell-suggestions" });
  const text = options.typed ?? before;
  const control =
    column.section === "tags"
      ? createTagsField(text, suggestions, options.knownTags)
      : createControl(column, before, options.typed);
  control.setAttribute("aria-label", options.label);
  const message = createElement("p", { class: "grid-editor-message", id: "grid-editor-message" });
  control.setAttribute("aria-describedby", message.id);
  const shell = createElement("div", { class: "grid-editor" }, control, suggestions, message);
  placeShell(shell, box, options.target, column);
  let isOpen = true;

  const finish = (move: Move, isSaved: boolean): void => {
    if (!isOpen) return;
    isOpen = false;
    shell.remove();
    if (!isSaved) options.cancel();
    else options.commit(control.value === before ? cell : readCell(control.value, column.kind), move);
  };
  const check = (): void => {
    const problem = findProblem(readCell(control.value, column.kind), column);
    message.textContent = problem;
    control.setAttribute("aria-invalid", String(Boolean(problem)));
    if (control instanceof HTMLTextAreaElement) fitHeight(control);
  };
  control.addEventListener("input", check);
  control.addEventListener("keydown", (event) => {
    const key = event as KeyboardEvent;
    key.stopPropagation();
    const move = readMove(key);
    if (!move && key.key !== "Escape") return;
    if (key.isComposing) return;
    event.preventDefault();
    finish(move ?? "stay", key.key !== "Escape");
  });
  control.addEventListener("blur", () => finish("stay", true));
  box.append(shell);
  control.focus();
  if (!(control instanceof HTMLSelectElement)) control.setSelectionRange(control.value.length, control.value.length);
  check();
  return { close: () => finish("stay", true) };
}

function readMove(event: KeyboardEvent): Move | null {
  if (event.key === "Tab") return event.shiftKey ? "left" : "right";
  if (event.key === "Enter" && !event.altKey && !event.shiftKey) return "down";
  return null;
}

function createControl(column: Column, text: string, typed?: string): HTMLTextAreaElement | HTMLSelectElement {
  const values = column.kind === "boolean" ? ["true", "false"] : column.choices;
  if (!values) {
    const area = createElement("textarea", { rows: 1, spellcheck: "false", dir: "auto" });
    area.value = typed ?? text;
    if (column.kind !== "text") area.classList.add("is-code");
    return area;
  }
  const others = text && !values.includes(text) ? [text] : [];
  const select = createElement("select", {}, createElement("option", { value: "" }, gettext("left out")));
  for (const value of [...others, ...values]) select.append(createElement("option", { value }, value));
  select.value = values.find((value) => typed && value.startsWith(typed.toLowerCase())) ?? text;
  return select;
}

/** A field of comma-separated tags, which suggests known ones for the tag being typed. */
function createTagsField(text: string, list: HTMLElement, knownTags: readonly string[]): HTMLInputElement {
  const input = createElement("input", { autocomplete: "off", list: list.id, dir: "auto" });
  input.value = text;
  const suggest = (): void => {
    const written = input.value.slice(0, input.value.lastIndexOf(",") + 1);
    const present = splitTags(written);
    const begin = present.length ? `${present.join(", ")}, ` : "";
    const options = knownTags.filter((tag) => !present.includes(tag));
    list.replaceChildren(...options.map((tag) => createElement("option", { value: `${begin}${tag}` }, tag)));
  };
  input.addEventListener("input", suggest);
  suggest();
  return input;
}

function placeShell(shell: HTMLElement, box: HTMLElement, target: HTMLElement, column: Column): void {
  const [cell, frame] = [target.getBoundingClientRect(), box.getBoundingClientRect()];
  const least = column.kind === "text" || column.kind === "json" ? 320 : 140;
  const width = Math.min(Math.max(cell.width, least), frame.width);
  const left = Math.min(cell.left - frame.left, frame.width - width);
  shell.style.left = `${Math.max(0, left) + box.scrollLeft}px`;
  shell.style.top = `${cell.top - frame.top + box.scrollTop}px`;
  shell.style.width = `${width}px`;
}

function fitHeight(area: HTMLTextAreaElement): void {
  area.style.height = "auto";
  const line = Number.parseFloat(getComputedStyle(area).lineHeight) || 20;
  area.style.height = `${Math.min(area.scrollHeight + 2, line * MAX_LINES)}px`;
}
