// The dialog that shows the values of all inputs as JSON, to be copied or replaced.
import { createElement } from "../dom.ts";
import { gettext } from "../language.ts";
import type { Data, Json } from "./types.ts";

interface Words {
  title: string;
  hint: string;
  use: string;
}

/** Shows the values; `take` gets what was typed in their place once it is one JSON object. */
export function openJsonDialog(data: Data, take: (values: Data) => void): void {
  const words = {
    title: gettext("Inputs as JSON"),
    hint: gettext("Paste one object; its keys are the inputs."),
    use: gettext("Use these inputs"),
  };
  openDialog(data, words, readValues, take);
}

/** Shows all samples; `take` gets what was typed in their place once it is an object of objects. */
export function openSamplesDialog(samples: Record<string, Data>, take: (samples: Record<string, Data>) => void): void {
  const words = {
    title: gettext("Samples as JSON"),
    hint: gettext("One object: each name with the object of its values."),
    use: gettext("Use these samples"),
  };
  openDialog(samples, words, readSamples, take);
}

function openDialog<Value extends Json>(
  value: Json,
  words: Words,
  read: (text: string) => Value | string,
  take: (value: Value) => void,
): void {
  const { title } = words;
  const area = createElement("textarea", { rows: 12, spellcheck: "false", class: "mono", "aria-label": title });
  area.value = JSON.stringify(value, null, 2);
  const said = createElement("p", { class: "field-error", role: "alert" });
  const use = createElement("button", { type: "button", class: "button button-primary" }, words.use);
  const leave = createElement("button", { type: "button", class: "button button-quiet" }, gettext("Leave as it is"));
  const dialog = createElement("dialog", { class: "dialog", "aria-label": title });
  dialog.append(
    createElement("h2", {}, title),
    createElement("p", { class: "note" }, words.hint),
    area,
    said,
    createElement("div", { class: "dialog-foot" }, use, leave),
  );
  use.addEventListener("click", () => {
    const found = read(area.value);
    if (typeof found === "string") {
      said.textContent = found;
      return;
    }
    take(found);
    dialog.close();
  });
  leave.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  area.select();
}

/** The samples that a text of JSON gives, or what is wrong with it. */
export function readSamples(text: string): Record<string, Data> | string {
  const found = readValues(text);
  if (typeof found === "string") return found;
  const wrong = Object.entries(found).find(
    ([, values]) => values === null || typeof values !== "object" || Array.isArray(values),
  );
  if (wrong) return gettext("The values of the sample {name} must be an object.", { name: wrong[0] });
  return found as Record<string, Data>;
}

/** The values that a text of JSON gives, or what is wrong with it. */
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
