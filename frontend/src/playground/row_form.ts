// The dialog that adds a reply to a dataset as a row.
import { createElement } from "../dom.ts";
import type { Data, Json } from "../editor/types.ts";
import { gettext } from "../language.ts";
import { createSelect, setOptions } from "./menus.ts";
import type { Choices } from "./types.ts";

/** The dialog's result: the dataset that gets the row, or the path of a new one. */
export interface NewRow {
  dataset: string;
  new_dataset: string;
  name: string;
  /** The expected reply: a text, or an object of fields. */
  expected: string | Data;
  /** Comma-separated. */
  tags: string;
}

/** The dialog's initial data; `isObject`: the document's output rules parse the reply as an object. */
interface ReplyFacts {
  name: string;
  text: string;
  isObject: boolean;
}

/** A refusal: the message, and its field. */
export interface Refusal {
  detail: string;
  fields: Record<string, string>;
}

function createField(label: string, control: HTMLElement, id: string, aside = ""): HTMLElement {
  control.id = id;
  const labelElement = createElement("label", { for: id }, label);
  if (aside) labelElement.append(" ", createElement("span", { class: "aside" }, aside));
  return createElement("div", { class: "field" }, labelElement, control);
}

/** Opens the dialog; `send` adds the row and returns the refusal, or null. */
export function openRowForm(
  datasets: Choices["datasets"],
  reply: ReplyFacts,
  send: (row: NewRow) => Promise<Refusal | null>,
): void {
  const dialog = createElement("dialog", {
    class: "dialog play-row-dialog",
    "aria-label": gettext("Add as dataset row"),
  });
  const close = createElement("button", { type: "button", class: "button" }, gettext("Cancel"));
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  const title = createElement("h2", {}, gettext("Add as dataset row"));
  dialog.append(title, drawForm(dialog, datasets, reply, send, close));
  document.body.append(dialog);
  dialog.showModal();
}

function drawForm(
  dialog: HTMLDialogElement,
  datasets: Choices["datasets"],
  reply: ReplyFacts,
  send: (row: NewRow) => Promise<Refusal | null>,
  close: HTMLElement,
): HTMLElement {
  const newName = createElement("input", { type: "text", maxlength: 200, autocomplete: "off", spellcheck: "false" });
  const newField = createField(gettext("Name of the new dataset"), newName, "play-row-dataset");
  const showNewField = (): void => {
    newField.hidden = dataset.value !== "";
    newName.required = !newField.hidden;
  };
  const [box, dataset] = createSelect(gettext("Dataset"), showNewField);
  const options = datasets.map((dataset) => ({ value: dataset.name, label: dataset.title }));
  setOptions(
    dataset,
    [...options, { value: "", label: gettext("a new dataset") }],
    datasets.find((dataset) => dataset.fits)?.name ?? "",
  );
  showNewField();
  const name = createElement("input", { type: "text", maxlength: 200, required: true });
  name.value = reply.name;
  const expected = createElement("textarea", { rows: 10, dir: "auto", spellcheck: "false" });
  expected.value = reply.text;
  const tags = createElement("input", { type: "text", maxlength: 800, autocomplete: "off" });
  const error = createElement("p", { class: "field-error", role: "alert" });
  const add = createElement("button", { class: "button button-primary" }, gettext("Add row"));
  const form = createElement(
    "form",
    { class: "form" },
    createElement("div", { class: "field" }, createElement("span", { class: "label" }, gettext("Dataset")), box),
    newField,
    createField(gettext("Name of the row"), name, "play-row-name"),
    createField(gettext("Expected reply"), expected, "play-row-expected", gettext("the reply, to be corrected")),
    createField(gettext("Tags"), tags, "play-row-tags", gettext("optional, separated by commas")),
    error,
    createElement("div", { class: "dialog-foot" }, add, close),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    add.setAttribute("aria-busy", "true");
    const expectation = readExpected(expected.value, reply.isObject);
    const refusal = await send({
      dataset: dataset.value,
      new_dataset: newField.hidden ? "" : newName.value.trim(),
      name: name.value.trim(),
      expected: expectation,
      tags: tags.value,
    });
    add.removeAttribute("aria-busy");
    if (!refusal) dialog.close();
    else {
      const problem = [...Object.values(refusal.fields), refusal.detail].filter(Boolean)[0] ?? "";
      error.textContent = gettext("Not added: {problem}", { problem });
    }
  });
  return form;
}

/** A reply that is parsed as an object is expected as one; invalid JSON stays text. */
function readExpected(text: string, isObject: boolean): string | Data {
  if (!isObject) return text;
  try {
    const value = JSON.parse(text.replace(/^\s*```(?:json)?\s*|\s*```\s*$/gi, "")) as Json;
    return value !== null && typeof value === "object" && !Array.isArray(value) ? value : text;
  } catch {
    return text;
  }
}
