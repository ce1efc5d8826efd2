// The dialog that shows the values of all inputs as JSON, to be copied or replaced.
import { createElement } from "../dom.ts";
import { gettext } from "../language.ts";
import type { Data, Json } from "./types.ts";

/** Shows the values; `take` gets what was typed in their place once it is one JSON object. */
export function openJsonDialog(data: Data, take: (values: Data) => void): void {
  const area = createElement("textarea", {
    rows: 12,
    spellcheck: "false",
    class: "mono",
    "aria-label": gettext("Inputs as JSON"),
  });
  area.value = JSON.stringify(data, null, 2);
  const said = createElement("p", { class: "field-error", role: "alert" });
  const use = createElement("button", { type: "button", class: "button button-primary" }, gettext("Use these inputs"));
  const leave = createElement("button", { type: "button", class: "button button-quiet" }, gettext("Leave as it is"));
  const dialog = createElement("dialog", { class: "dialog", "aria-label": gettext("Inputs as JSON") });
  dialog.append(
    createElement("h2", {}, gettext("Inputs as JSON")),
    createElement("p", { class: "note" }, gettext("Paste one object; its keys are the inputs.")),
    area,
    said,
    createElement("div", { class: "dialog-foot" }, use, leave),
  );
  use.addEventListener("click", () => {
    const read = readValues(area.value);
    if (typeof read === "string") {
      said.textContent = read;
      return;
    }
    take(read);
    dialog.close();
  });
  leave.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  area.select();
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
