// The place of a comment's form on an open diff: htmx asks for the form alone and puts it there.

import { forgetListedForms, restoreForms } from "./form_autosave.ts";

const PLACE = "comment-form-place";

/** Closes the open form, and unmarks its lines. */
function closeForm(): void {
  for (const open of document.querySelectorAll(`form#comment-form, #${PLACE}`)) {
    const row = open.closest(".diff-spot");
    open.remove();
    if (row && !row.childElementCount) row.remove();
  }
  for (const line of document.querySelectorAll("#diff .is-selected")) line.classList.remove("is-selected");
  forgetListedForms();
}

/** Makes the place of the form below the line of a number. Returns false if the page has to be loaded instead, as
 * closing a form of a saved comment would leave that comment out. */
export function makeFormPlace(link: HTMLAnchorElement): boolean {
  if (document.querySelector("form#comment-form [name=remark]")) return false;
  const line = link.closest(".diff-line");
  if (!line) return false;
  closeForm();
  const next = line.nextElementSibling;
  const row = next?.matches(".diff-spot") ? next : document.createElement("div");
  row.classList.add("diff-spot");
  if (row !== next) line.after(row);
  const container = document.createElement("div");
  container.id = PLACE;
  row.append(container);
  line.classList.add("is-selected");
  return true;
}

/** Closes the form where Cancel is pressed, unless the page's address names its lines. Returns whether it did. */
export function cancelForm(link: Element): boolean {
  const form = link.closest("form#comment-form");
  if (!form || form.querySelector("[name=remark]") || new URLSearchParams(location.search).has("line")) return false;
  closeForm();
  restoreForms();
  return true;
}
