// The dialog that tags the ticked rows.
import { createElement } from "../dom.ts";
import { gettext, ngettext } from "../language.ts";
import { listTags, splitTags } from "./tags.ts";
import type { Grid, GridRow } from "./types.ts";

/** Asks for tags for these rows; `apply` returns the error, or an empty string on success. */
export function openTagDialog(
  rows: readonly GridRow[],
  grid: Grid,
  apply: (tags: readonly string[], isAdded: boolean) => string,
): void {
  const list = createElement("datalist", { id: "grid-known-tags" });
  for (const tag of listTags(grid.rows)) list.append(createElement("option", { value: tag }));
  const input = createElement("input", { id: "grid-tags", autocomplete: "off", maxlength: 800, list: list.id });
  const error = createElement("p", { class: "field-error", role: "alert" });
  const hint = createElement("span", { class: "aside" }, gettext("separated by commas"));
  const label = createElement("label", { for: input.id }, gettext("Tags"), " ", hint);
  const add = createElement("button", { class: "button button-primary" }, gettext("Add tags"));
  const remove = createElement("button", { type: "button", class: "button" }, gettext("Remove tags"));
  const close = createElement("button", { type: "button", class: "button button-quiet" }, gettext("Cancel"));
  const present = listTags(rows);
  const form = createElement(
    "form",
    { class: "form", method: "dialog" },
    createElement("div", { class: "field" }, label, input, list, error),
    createElement("p", { class: "note" }, present.length ? gettext("Now: {tags}", { tags: present.join(", ") }) : ""),
    createElement("div", { class: "dialog-foot" }, add, remove, close),
  );
  const title = ngettext("Tag {count} row", "Tag {count} rows", rows.length);
  const dialog = createElement(
    "dialog",
    { class: "dialog", "aria-label": title },
    createElement("h2", {}, title),
    form,
  );
  const send = (isAdded: boolean): void => {
    const tags = splitTags(input.value);
    error.textContent = tags.length ? apply(tags, isAdded) : gettext("Name at least one tag.");
    if (!error.textContent) dialog.close();
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(true);
  });
  remove.addEventListener("click", () => send(false));
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  input.focus();
}
