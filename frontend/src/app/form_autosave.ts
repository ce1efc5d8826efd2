// Forms marked `data-keep`: what is typed stays in this browser until the server has stored it.

import { createElement, timeAgo } from "../dom.ts";
import { gettext } from "../language.ts";

// Typed text survives a reload, another page and the end of the session. Entries of more than a month are removed.
const PREFIX = "kept:";
const MONTH = 30 * 86_400_000;

interface SavedForm {
  at: number;
  url: string;
  values: Record<string, string>;
}

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** The form's fields, those that stand elsewhere on the page and name the form among them. */
const controls = (form: HTMLFormElement): Control[] =>
  ([...form.elements] as Control[]).filter(
    (control) =>
      control.matches("textarea[name], select[name], input[name]") &&
      control.type !== "hidden" &&
      !("passing" in control.dataset),
  );

/** Under what a control's value is kept: boxes share a name and differ in their values. */
const keyOf = (control: Control): string =>
  control.type === "checkbox" && control.hasAttribute("value") ? `${control.name}=${control.value}` : control.name;

/** What a control holds: of radios the chosen one's value, of a box whether it is set. */
function currentValue(control: Control): string | null {
  if (control instanceof HTMLInputElement && control.type === "radio") return control.checked ? control.value : null;
  if (control instanceof HTMLInputElement && control.type === "checkbox") return control.checked ? "on" : "";
  return control.value;
}

/** What the server put into a control, so that only what was typed since counts. */
function initialValue(control: Control): string | null {
  if (control instanceof HTMLSelectElement)
    return [...control.options].find((one) => one.defaultSelected)?.value ?? control.options[0]?.value ?? "";
  if (control instanceof HTMLInputElement && control.type === "radio")
    return control.defaultChecked ? control.value : null;
  if (control instanceof HTMLInputElement && control.type === "checkbox") return control.defaultChecked ? "on" : "";
  return control.defaultValue;
}

/** What was typed or chosen in a form since the server sent it. */
export function changedValues(form: HTMLFormElement): Record<string, string> {
  const values: Record<string, string> = {};
  for (const control of controls(form)) {
    const value = currentValue(control);
    if (value !== null && value !== initialValue(control)) values[keyOf(control)] = value;
  }
  return values;
}

/** Puts what `changedValues` gave into a form; what it has no field for is passed over. */
export function fillForm(form: HTMLFormElement, values: Record<string, string>): void {
  for (const control of controls(form)) {
    const value = values[keyOf(control)];
    if (value === undefined) continue;
    if (control instanceof HTMLInputElement && control.type === "radio") control.checked = control.value === value;
    else if (control instanceof HTMLInputElement && control.type === "checkbox") control.checked = value === "on";
    else control.value = value;
    control.closest("details")?.setAttribute("open", "");
  }
}

function readSavedForm(key: string): SavedForm | null {
  try {
    const kept = JSON.parse(localStorage.getItem(PREFIX + key) ?? "null") as SavedForm | null;
    return kept && Date.now() - kept.at < MONTH ? kept : null;
  } catch {
    return null;
  }
}

function saveForm(form: HTMLFormElement): void {
  const key = form.dataset.keep ?? "";
  const values = changedValues(form);
  if (!Object.keys(values).length) {
    localStorage.removeItem(PREFIX + key);
    return;
  }
  const url = location.pathname + (form.dataset.url ?? location.search) + (form.id ? `#${form.id}` : "");
  try {
    localStorage.setItem(PREFIX + key, JSON.stringify({ at: Date.now(), url, values } satisfies SavedForm));
  } catch {
    // The browser keeps nothing (full, or told not to): the form itself still holds the text.
  }
}

/** Puts back what was typed and not taken, with a line that says so and can take it out again. */
function restoreForm(form: HTMLFormElement): void {
  if ("restored" in form.dataset) return;
  form.dataset.restored = "";
  const kept = readSavedForm(form.dataset.keep ?? "");
  if (!kept || Object.keys(changedValues(form)).length) return;
  fillForm(form, kept.values);
  if (!Object.keys(changedValues(form)).length) return;
  const words = gettext("Restored what you typed {when}.", { when: timeAgo(kept.at) });
  const note = createElement("p", { class: "note kept-note" }, `${words} `);
  const drop = createElement(
    "button",
    { type: "button", class: "button button-small button-quiet" },
    gettext("Remove it"),
  );
  drop.addEventListener("click", () => {
    form.reset();
    localStorage.removeItem(PREFIX + (form.dataset.keep ?? ""));
    note.remove();
  });
  note.append(drop);
  form.prepend(note);
}

/** Links to forms of the same page that hold text and are not open now. */
function listOtherForms(): void {
  for (const list of document.querySelectorAll<HTMLElement>("[data-kept-list]")) {
    if ("told" in list.dataset) continue;
    list.dataset.told = "";
    const prefix = list.dataset.keptList ?? "";
    const open = new Set([...document.querySelectorAll<HTMLFormElement>("form[data-keep]")].map((f) => f.dataset.keep));
    for (const name of Object.keys(localStorage)) {
      const key = name.slice(PREFIX.length);
      const kept = name.startsWith(PREFIX + prefix) && !open.has(key) ? readSavedForm(key) : null;
      if (!kept) continue;
      const words = Object.values(kept.values).find((value) => value.trim()) ?? "";
      list.append(
        " ",
        createElement(
          "a",
          { href: kept.url },
          gettext("“{words}”, {when}", { words: words.trim().slice(0, 40), when: timeAgo(kept.at) }),
        ),
      );
      list.hidden = false;
    }
  }
}

function removeSubmittedForms(): void {
  for (const done of document.querySelectorAll<HTMLElement>("[data-done]"))
    localStorage.removeItem(PREFIX + done.dataset.done);
}

function removeOldForms(): void {
  for (const name of Object.keys(localStorage))
    if (name.startsWith(PREFIX) && !readSavedForm(name.slice(PREFIX.length))) localStorage.removeItem(name);
}

/** Puts back what was typed into the forms of the page that were not looked at yet. */
export function restoreForms(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>("form[data-keep]")) restoreForm(form);
  listOtherForms();
}

export function installFormAutosave(): void {
  removeSubmittedForms();
  removeOldForms();
  restoreForms();
  for (const kind of ["input", "change"])
    document.addEventListener(kind, (event) => {
      const target = event.target as Element;
      const form = "form" in target ? (target as Control).form : target.closest("form");
      if (form?.matches("[data-keep]")) saveForm(form);
    });
  // Other lines for the same words: the server hands them on to the form of those lines.
  document.addEventListener("submit", (event) => {
    const form = event.target as HTMLFormElement;
    if ((event.submitter as HTMLButtonElement | null)?.value === "range")
      localStorage.removeItem(PREFIX + (form.dataset.keep ?? ""));
  });
  document.addEventListener("htmx:after:swap", restoreForms);
}
