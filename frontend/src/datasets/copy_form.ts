// The dialog that copies the ticked rows into another dataset.
import { showStatus } from "../app/status.ts";
import { createElement, findElement, readJson } from "../dom.ts";
import { gettext, ngettext } from "../language.ts";
import { type CopyAnswer, postRows, type Refusal } from "./save.ts";
import type { Grid } from "./types.ts";

/** Asks for a dataset and copies all rows of this grid to it; columns that it lacks are listed first. */
export function openCopy(section: HTMLElement, grid: Grid): void {
  const list = createElement("datalist", { id: "grid-copy-targets" });
  for (const name of readJson<string[]>("copy-targets")) list.append(createElement("option", { value: name }));
  const input = createElement("input", { id: "grid-copy-to", autocomplete: "off", maxlength: 520, list: list.id });
  const error = createElement("div", { class: "field-error", role: "alert" });
  const columns = createElement("p", { class: "note", role: "status" });
  const copy = createElement("button", { class: "button button-primary" }, gettext("Copy"));
  const close = createElement("button", { type: "button", class: "button button-quiet" }, gettext("Cancel"));
  const hint = createElement("span", { class: "aside" }, gettext("gets a new version with these rows at its end"));
  const label = createElement("label", { for: input.id }, gettext("Dataset"), " ", hint);
  const form = createElement(
    "form",
    { class: "form", method: "dialog" },
    createElement("div", { class: "field" }, label, input, list, error),
    columns,
    createElement("div", { class: "dialog-foot" }, copy, close),
  );
  const title = ngettext("Copy {count} row", "Copy {count} rows", grid.rows.length);
  const dialog = createElement(
    "dialog",
    { class: "dialog", "aria-label": title },
    createElement("h2", {}, title),
    form,
  );
  let acceptsColumns = false;
  const showColumns = (names: readonly string[]): void => {
    acceptsColumns = names.length > 0;
    columns.textContent = acceptsColumns
      ? gettext("{dataset} has no column {columns}. Copying adds what is missing.", {
          dataset: input.value.trim(),
          columns: names.join(", "),
        })
      : "";
    copy.textContent = acceptsColumns
      ? ngettext("Copy with {count} new column", "Copy with {count} new columns", names.length)
      : gettext("Copy");
  };
  const send = async (): Promise<void> => {
    if (copy.getAttribute("aria-busy") === "true") return;
    error.replaceChildren();
    const data = new FormData();
    data.set("csrfmiddlewaretoken", findElement<HTMLInputElement>(document, "[name=csrfmiddlewaretoken]").value);
    data.set("dataset", input.value.trim());
    data.set("source", section.dataset.dataset ?? "");
    if (acceptsColumns) data.set("accepts_columns", "yes");
    copy.setAttribute("aria-busy", "true");
    const answer = await postRows<CopyAnswer>(section.dataset.copyUrl ?? "", data, grid);
    copy.removeAttribute("aria-busy");
    if ("newColumns" in answer) showColumns(answer.newColumns);
    else if ("detail" in answer)
      error.replaceChildren(...listReasons(answer).map((reason) => createElement("p", {}, reason)));
    else {
      dialog.close();
      showCopied(answer);
    }
  };
  input.addEventListener("input", () => showColumns([]));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void send();
  });
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  input.focus();
}

/** The messages of a refusal. Errors of the whole dialog name no field; row positions refer to the other dataset. */
function listReasons(refusal: Refusal): string[] {
  const reasons = Object.entries(refusal.fields).map(([field, sentence]) =>
    /^(dataset|text|file|rows\.\d+\.id)$/.test(field)
      ? sentence.charAt(0).toUpperCase() + sentence.slice(1)
      : `${field}: ${sentence}`,
  );
  return reasons.length ? [gettext("Nothing is copied."), ...reasons] : [refusal.detail];
}

function showCopied(copied: { url: string; dataset: string; number: number; added: number; warnings: string[] }): void {
  const { dataset, number, added } = copied;
  const message = added
    ? ngettext("{count} row copied to {dataset}.", "{count} rows copied to {dataset}.", added, { dataset })
    : gettext("{dataset} has these rows already.", { dataset });
  const link = { text: gettext("Open version {number}", { number }), url: copied.url };
  showStatus([message, ...copied.warnings].join(" "), undefined, link);
}
