// Small elements of the form mode.
import { createCodeLink, createCodeSpans, createElement, createIcon } from "../../dom.ts";
import { gettext } from "../../language.ts";
import { SEVERITY_WORDS } from "../problems.ts";
import type { Problem, Schema } from "../types.ts";
import { describeStatement } from "./statement_words.ts";

const PROBLEM_ICONS = { error: "circle-x", warning: "triangle-alert", note: "info" } as const;
const HIGHEST = 3; // priorities offered if the text uses no higher one

/** A problem below its part, with its fix as a button. */
export function drawProblem(problem: Problem, fix: (problem: Problem) => void): HTMLElement {
  const message = createElement(
    "p",
    {},
    createElement("b", {}, SEVERITY_WORDS[problem.severity]),
    " ",
    ...createCodeSpans(problem.message),
    " ",
  );
  message.append(createCodeLink(problem.code));
  const kind = `cm-problem cm-problem-${problem.severity}`;
  const box = createElement("div", { class: kind }, createIcon(PROBLEM_ICONS[problem.severity]), message);
  if (problem.fix) {
    const button = createElement(
      "button",
      { type: "button", class: "button button-small" },
      ...createCodeSpans(problem.fix.title),
    );
    button.addEventListener("click", () => fix(problem));
    box.append(button);
  }
  return box;
}

/** The head of a loop or a condition, in words: handle moves it, chip is the expression it depends on, size shows its
 * tokens. */
export function drawSectionHead(
  head: string,
  handle: HTMLElement | null,
  chip: HTMLElement,
  size: HTMLElement,
): HTMLElement {
  const { kind, text } = describeStatement(head);
  const sentence = kind === "loop" ? gettext("Repeats once for each item of") : text;
  return createElement(
    "header",
    { class: "form-section-head" },
    ...(handle ? [handle] : []),
    createIcon(kind === "loop" ? "repeat" : "git-branch"),
    sentence,
    chip,
    size,
  );
}

/** Lines that aren't a part: a comment as prose, anything else unchanged. */
export function drawLines(text: string, edit: () => void): HTMLElement {
  const comment = /^\s*(?:\{#\s*(.*?)\s*#\}|#\s*(.*))$/.exec(text);
  if (comment) return createElement("p", { class: "form-comment" }, comment[1] ?? comment[2] ?? "");
  const go = createElement("button", { type: "button", class: "link" }, gettext("Edit in the source"));
  go.addEventListener("click", edit);
  return createElement("div", { class: "form-lines" }, createElement("pre", {}, text), go);
}

/** The menu of inputs that can be inserted at the cursor. */
export function drawInsert(offered: () => string[], insert: (name: string) => void): HTMLElement {
  const sheet = createElement("div", { class: "menu-sheet" });
  const menu = createElement(
    "details",
    { class: "menu form-insert" },
    createElement("summary", {}, gettext("Insert an input")),
    sheet,
  );
  menu.addEventListener("toggle", () => {
    if (!menu.open) return;
    const buttons = offered().map((name) => {
      const button = createElement("button", { type: "button" }, name.replaceAll(".", " "));
      button.addEventListener("click", () => {
        menu.open = false;
        insert(name);
      });
      return button;
    });
    sheet.replaceChildren(...buttons);
    if (!buttons.length) sheet.append(createElement("div", { class: "menu-head" }, gettext("No inputs are declared.")));
  });
  return menu;
}

/** The priorities to choose from, including the current one. */
export function listPriorities(current: string): [string, string][] {
  const highest = Math.max(HIGHEST, Number.parseInt(current, 10) || 0);
  const offered: [string, string][] = [["0", gettext("Never cut")]];
  for (let number = 1; number <= highest; number++) {
    offered.push([String(number), describePriority(number, highest)]);
  }
  if (!offered.some(([value]) => value === current)) offered.push([current, current]);
  return offered;
}

function describePriority(number: number, highest: number): string {
  if (number === 1) return gettext("Cut last ({number})", { number });
  if (number === highest) return gettext("Cut first ({number})", { number });
  return gettext("Cut earlier ({number})", { number });
}

/** A select with a label for screen readers. */
export function createSelect(label: string, options: [string, string][], current: string): HTMLSelectElement {
  const select = createElement("select", { "aria-label": label });
  for (const [value, text] of options) select.add(new Option(text, value, value === current, value === current));
  return select;
}

/** The paths of inputs that a text can print: the properties of an object instead of the object. */
export function listPaths(inputs: Record<string, Schema>, before = ""): string[] {
  return Object.entries(inputs).flatMap(([name, schema]) =>
    schema.properties ? listPaths(schema.properties, `${before}${name}.`) : [`${before}${name}`],
  );
}
