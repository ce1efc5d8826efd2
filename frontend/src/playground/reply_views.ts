// Views of a column's reply: as text, field by field, as received, or the sent prompt.
import { createElement, createIcon } from "../dom.ts";
import type { Json } from "../editor/types.ts";
import { gettext, ngettext } from "../language.ts";
import { type Column, isBusy, type View } from "./columns.ts";
import { findJsonError } from "./json_error.ts";
import { readPartialFields } from "./partial_json.ts";
import type { Message, OutputField, Reply, ToolCall } from "./types.ts";

const LONG_VALUE = 60; // longer texts are shown with their number of words

/** Renders the view of a column's reply; `area` keeps its scroll position. */
export function drawReply(column: Column, view: View): Node[] {
  const { reply } = column;
  if (!reply) return [];
  if (view === "prompt") return drawPrompt(reply);
  const isWriting = isBusy(column);
  const body =
    view === "fields"
      ? drawFields(reply, isWriting)
      : [drawText(reply.text, isWriting, view === "raw" ? "raw" : "text")];
  const note = view === "raw" ? drawJsonProblem(reply, isWriting) : [];
  const isUnreadable = !isWriting && reply.output?.kind === "json" && !reply.output.valid;
  if (view === "raw" && isUnreadable) markBadPlace(body[0], reply.text);
  return [...note, ...body, ...drawTools(reply.tools), ...drawProblem(reply, isWriting)];
}

const createCaret = (): HTMLElement => createElement("span", { class: "play-caret", "aria-hidden": "true" });

function drawText(text: string, isWriting: boolean, kind: "text" | "raw"): HTMLElement {
  const element = createElement(kind === "raw" ? "pre" : "p", { class: `play-${kind}`, dir: "auto" }, text);
  if (isWriting) element.append(createCaret());
  return element;
}

/** A note after the name of a field with the length of its text. */
function describeLength(text: string): string {
  const words = text.trim().split(/\s+/).filter(Boolean).length;
  return [...text].length > LONG_VALUE ? ngettext("{count} word", "{count} words", words) : "";
}

/** A readable value: text unchanged, a list of plain values comma-separated, anything else as JSON. */
function showValue(value: Json): string {
  if (typeof value === "string") return value;
  const isPlain = Array.isArray(value) && value.every((item) => item === null || typeof item !== "object");
  return isPlain && value.length ? value.map(String).join(", ") : JSON.stringify(value, null, 1);
}

function drawField(name: string, value: Node | string, facts: string, problem: string | null): HTMLElement {
  const head = createElement("dt", {}, createElement("b", {}, name));
  if (facts) head.append(createElement("span", { class: "note" }, facts));
  const body = createElement("dd", { dir: "auto" }, value);
  if (problem) body.append(createElement("p", { class: "play-field-problem" }, problem));
  return createElement("div", { class: problem ? "play-field is-invalid" : "play-field" }, head, body);
}

function drawFields(reply: Reply, isWriting: boolean): HTMLElement[] {
  const list = createElement("dl", { class: "play-fields" });
  if (!isWriting && reply.output?.fields.length) {
    for (const field of reply.output.fields) list.append(drawReadField(field));
  } else {
    const fields = readPartialFields(reply.text);
    for (const field of fields) {
      const value = createElement("span", {}, field.isComplete ? readValue(field.text) : field.text);
      if (isWriting && field === fields.at(-1)) value.append(createCaret());
      list.append(drawField(field.name, value, field.isComplete ? describeLength(field.text) : "", null));
    }
  }
  if (!list.childElementCount) return [drawText(reply.text, isWriting, "text")];
  const problemNotes = reply.output?.problem && !isWriting ? [drawNote("bad", reply.output.problem)] : [];
  return [...problemNotes, list];
}

/** The text of a complete field, so that lists look final. */
function readValue(text: string): string {
  if (!text.startsWith("[")) return text;
  try {
    return showValue(JSON.parse(text) as Json);
  } catch {
    return text;
  }
}

function drawReadField(field: OutputField): HTMLElement {
  const text = showValue(field.value);
  return drawField(field.name, text, typeof field.value === "string" ? describeLength(text) : "", field.problem);
}

function drawNote(kind: "bad" | "warn", text: string, ...after: Node[]): HTMLElement {
  const icon = createIcon(kind === "bad" ? "circle-x" : "triangle-alert");
  return createElement("div", { class: `play-note play-note-${kind}` }, icon, createElement("p", {}, text), ...after);
}

/** The error of a reply that should have been JSON, above its text. */
function drawJsonProblem(reply: Reply, isWriting: boolean): HTMLElement[] {
  const problem = isWriting || reply.output?.kind !== "json" ? null : reply.output.problem;
  return problem ? [drawNote("bad", problem)] : [];
}

/** Marks where the text stops being valid JSON: the character, or the end of the text. */
function markBadPlace(element: HTMLElement | undefined, text: string): void {
  const position = findJsonError(text);
  if (!element || position === null) return;
  const [bad = ""] = text.slice(position);
  const label = bad ? gettext("Here it stops being JSON") : gettext("ends here");
  const mark = createElement("mark", bad ? { title: label } : {}, bad || label);
  element.replaceChildren(text.slice(0, position), mark, text.slice(position + bad.length));
}

function drawTools(tools: ToolCall[]): HTMLElement[] {
  return tools.map((tool) => {
    const text = typeof tool.arguments === "string" ? tool.arguments : JSON.stringify(tool.arguments, null, 2);
    const head = createElement("p", { class: "play-tool-head" }, createIcon("wrench"));
    const [before = "", after = ""] = gettext("Calls {tool}").split("{tool}");
    head.append(before, createElement("b", {}, tool.name), after);
    return createElement("div", { class: "play-tool" }, head, createElement("pre", {}, text ?? ""));
  });
}

/** Why a reply failed or ended early; its Retry button is the column's. */
function drawProblem(reply: Reply, isWriting: boolean): HTMLElement[] {
  if (isWriting || !reply.problem) return [];
  return [drawNote(reply.state === "failed" ? "bad" : "warn", reply.problem.detail)];
}

function drawPrompt(reply: Reply): HTMLElement[] {
  const { messages, text } = reply.prompt ?? { messages: null, text: null };
  if (!messages) {
    return text === null
      ? [createElement("p", { class: "note" }, gettext("The prompt of this run was not stored."))]
      : [createElement("p", { class: "play-text", dir: "auto" }, text)];
  }
  const list = createElement("div", { class: "messages play-messages" });
  for (const message of messages) list.append(drawMessage(message));
  return [list];
}

function drawMessage(message: Message): HTMLElement {
  const head = createElement("div", { class: "message-head" }, createElement("b", {}, message.role));
  const { content } = message;
  const text = typeof content === "string" ? content : JSON.stringify(content, null, 2);
  const body = createElement("div", { class: "message-text", dir: "auto" }, text ?? "");
  return createElement("div", { class: "message message-first" }, head, body);
}
