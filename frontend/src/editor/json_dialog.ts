// The dialog that shows the values of all inputs as JSON, to copy or replace them.
import { showStatus } from "../app/status.ts";
import { createElement, formatTimeAgo } from "../dom.ts";
import { gettext } from "../language.ts";
import { type Samples, unpackSamples } from "./sample_map.ts";
import type { Data, Json } from "./types.ts";

interface Words {
  title: string;
  hint: string;
  use: string;
}

/** Shows the values; `take` is called with their replacement if it is one JSON object. */
export function openJsonDialog(data: Data, accept: (values: Data) => void): void {
  const texts = {
    title: gettext("Inputs as JSON"),
    hint: gettext("Paste one object; its keys are the inputs."),
    use: gettext("Use these inputs"),
  };
  openDialog(JSON.stringify(data, null, 2), texts, readValues, accept);
}

/** Shows all samples; `take` is called with their replacement if it is an object of objects. */
export function openSamplesDialog(samples: Samples, accept: (samples: Samples) => void): void {
  const texts = {
    title: gettext("Samples as JSON"),
    hint: gettext("One object: each name with the object of its values."),
    use: gettext("Use these samples"),
  };
  openDialog(writeSamples(samples), texts, readSamples, accept);
}

/** The samples as JSON text, in order. */
export function writeSamples(samples: Samples): string {
  const entries = [...samples].map(
    ([name, values]) => `  ${JSON.stringify(name)}: ${JSON.stringify(values, null, 2).replaceAll("\n", "\n  ")}`,
  );
  return entries.length ? `{\n${entries.join(",\n")}\n}` : "{}";
}

/** Unused input of the dialogs, by dialog title. */
const unused = new Map<string, { typed: string; at: number }>();

function openDialog<Value extends object>(
  text: string,
  texts: Words,
  read: (text: string) => Value | string,
  accept: (value: Value) => void,
): void {
  const { title } = texts;
  const area = createElement("textarea", { rows: 12, spellcheck: "false", class: "mono", "aria-label": title });
  const typed = unused.get(title);
  area.value = typed?.typed ?? text;
  const message = createElement("p", { class: "field-error", role: "alert" });
  const use = createElement("button", { type: "button", class: "button button-primary" }, texts.use);
  const leave = createElement("button", { type: "button", class: "button button-quiet" }, gettext("Leave as it is"));
  const dialog = createElement("dialog", { class: "dialog", "aria-label": title });
  dialog.append(
    createElement("h2", {}, title),
    createElement("p", { class: "note" }, texts.hint),
    ...(typed ? [drawReturnedText(typed.at, area, text)] : []),
    area,
    message,
    createElement("div", { class: "dialog-foot" }, use, leave),
  );
  use.addEventListener("click", () => {
    const values = read(area.value);
    if (typeof values === "string") {
      message.textContent = values;
      return;
    }
    area.value = text;
    accept(values);
    dialog.close();
  });
  leave.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => {
    dialog.remove();
    unused.delete(title);
    if (area.value === text) return;
    unused.set(title, { typed: area.value, at: Date.now() });
    showStatus(gettext("What you typed is there again when you open this next."));
  });
  document.body.append(dialog);
  dialog.showModal();
  area.select();
}

/** A line that says that input was restored, and can discard it. */
function drawReturnedText(at: number, area: HTMLTextAreaElement, text: string): HTMLElement {
  const message = gettext("Restored what you typed {when}.", { when: formatTimeAgo(at) });
  const drop = createElement(
    "button",
    { type: "button", class: "button button-small button-quiet" },
    gettext("Remove it"),
  );
  const note = createElement("p", { class: "note kept-note" }, `${message} `, drop);
  drop.addEventListener("click", () => {
    area.value = text;
    note.remove();
    area.focus();
  });
  return note;
}

/** Parses the samples from JSON text, in its order; returns the error as a string. */
export function readSamples(text: string): Samples | string {
  const values = readValues(text);
  if (typeof values === "string") return values;
  const misfit = Object.entries(values).find(
    ([, values]) => values === null || typeof values !== "object" || Array.isArray(values),
  );
  if (misfit) return gettext("The values of the sample {name} must be an object.", { name: misfit[0] });
  return unpackSamples({ samples: values as Record<string, Data>, sampleOrder: listKeys(text) });
}

/** The keys of an object in the order of its JSON text. */
function listKeys(text: string): string[] {
  const keys: string[] = [];
  let depth = 0;
  for (const [token, isKey] of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]/g)) {
    if (token === "{" || token === "[") depth += 1;
    else if (token === "}" || token === "]") depth -= 1;
    else if (depth === 1 && isKey !== undefined) keys.push(JSON.parse(token.slice(0, -isKey.length)) as string);
  }
  return keys;
}

/** Parses the values from JSON text; returns the error as a string. */
function readValues(text: string): Data | string {
  let parsed: Json;
  try {
    parsed = JSON.parse(text) as Json;
  } catch (error) {
    return gettext("This is not JSON: {reason}.", { reason: (error as Error).message });
  }
  if (parsed === null || typeof parsed !== "object" || Array.isArray(parsed)) {
    return gettext("The inputs must be one JSON object, like {example}.", { example: '{"question": "…"}' });
  }
  return parsed;
}
