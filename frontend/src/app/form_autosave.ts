// Forms marked `data-keep`: input is stored in this browser until the server has saved it.

import { createElement, formatTimeAgo } from "../dom.ts";
import { gettext } from "../language.ts";

// Input survives a reload, another page and the end of the session. Entries older than a month are removed.
const PREFIX = "kept:";
const MONTH = 30 * 86_400_000;

interface SavedForm {
  at: number;
  url: string;
  values: Record<string, string>;
}

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** The form's fields, including those elsewhere on the page that name the form. */
const listControls = (form: HTMLFormElement): Control[] =>
  ([...form.elements] as Control[]).filter(
    (control) =>
      control.matches("textarea[name], select[name], input[name]") &&
      control.type !== "hidden" &&
      !("passing" in control.dataset),
  );

/** The storage key of a control's value: boxes share a name and differ in their values. */
const makeKey = (control: Control): string =>
  control.type === "checkbox" && control.hasAttribute("value") ? `${control.name}=${control.value}` : control.name;

/** The value of a control: for radios the chosen one's value, for a box whether it is ticked. */
function readCurrentValue(control: Control): string | null {
  if (control instanceof HTMLInputElement && control.type === "radio") return control.checked ? control.value : null;
  if (control instanceof HTMLInputElement && control.type === "checkbox") return control.checked ? "on" : "";
  return control.value;
}

/** The control's value as rendered by the server, so that only later input counts. */
function readInitialValue(control: Control): string | null {
  if (control instanceof HTMLSelectElement)
    return [...control.options].find((one) => one.defaultSelected)?.value ?? control.options[0]?.value ?? "";
  if (control instanceof HTMLInputElement && control.type === "radio")
    return control.defaultChecked ? control.value : null;
  if (control instanceof HTMLInputElement && control.type === "checkbox") return control.defaultChecked ? "on" : "";
  return control.defaultValue;
}

/** The values entered in a form since the server rendered it. */
export function listChangedValues(form: HTMLFormElement): Record<string, string> {
  const values: Record<string, string> = {};
  for (const control of listControls(form)) {
    const value = readCurrentValue(control);
    if (value !== null && value !== readInitialValue(control)) values[makeKey(control)] = value;
  }
  return values;
}

/** All values entered in a form or written there by the server. */
export function listValues(form: HTMLFormElement): Record<string, string> {
  const values: Record<string, string> = {};
  for (const control of listControls(form)) {
    const value = readCurrentValue(control);
    if (value !== null) values[makeKey(control)] = value;
  }
  return values;
}

/** Fills a form with the result of `listChangedValues` or `listValues`; values without a field are ignored. */
export function fillForm(form: HTMLFormElement, values: Record<string, string>): void {
  for (const control of listControls(form)) {
    const value = values[makeKey(control)];
    if (value === undefined) continue;
    if (control instanceof HTMLInputElement && control.type === "radio") control.checked = control.value === value;
    else if (control instanceof HTMLInputElement && control.type === "checkbox") control.checked = value === "on";
    else control.value = value;
    control.closest("details")?.setAttribute("open", "");
  }
}

function readSavedForm(key: string): SavedForm | null {
  try {
    const savedForm = JSON.parse(localStorage.getItem(PREFIX + key) ?? "null") as SavedForm | null;
    return savedForm && Date.now() - savedForm.at < MONTH ? savedForm : null;
  } catch {
    return null;
  }
}

function saveForm(form: HTMLFormElement): void {
  const key = form.dataset.keep ?? "";
  const values = listChangedValues(form);
  if (!Object.keys(values).length) {
    localStorage.removeItem(PREFIX + key);
    return;
  }
  const url = location.pathname + (form.dataset.url ?? location.search) + (form.id ? `#${form.id}` : "");
  try {
    localStorage.setItem(PREFIX + key, JSON.stringify({ at: Date.now(), url, values } satisfies SavedForm));
  } catch {
    // The browser stores nothing (full or disabled): the form itself still contains the text.
  }
}

/** Restores unsaved input, with a line that says so and can discard it. */
function restoreForm(form: HTMLFormElement): void {
  if ("restored" in form.dataset) return;
  form.dataset.restored = "";
  const savedForm = readSavedForm(form.dataset.keep ?? "");
  if (!savedForm || Object.keys(listChangedValues(form)).length) return;
  fillForm(form, savedForm.values);
  if (!Object.keys(listChangedValues(form)).length) return;
  const message = gettext("Restored what you typed {when}.", { when: formatTimeAgo(savedForm.at) });
  const note = createElement("p", { class: "note kept-note" }, `${message} `);
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

/** Links to forms of the same page that have stored input and aren't open. */
function listOtherForms(): void {
  for (const list of document.querySelectorAll<HTMLElement>("[data-kept-list]")) {
    if ("told" in list.dataset) continue;
    list.dataset.told = "";
    const prefix = list.dataset.keptList ?? "";
    const open = new Set([...document.querySelectorAll<HTMLFormElement>("form[data-keep]")].map((f) => f.dataset.keep));
    for (const name of Object.keys(localStorage)) {
      const key = name.slice(PREFIX.length);
      const savedForm = name.startsWith(PREFIX + prefix) && !open.has(key) ? readSavedForm(key) : null;
      if (!savedForm) continue;
      const text = Object.values(savedForm.values).find((value) => value.trim()) ?? "";
      list.append(
        " ",
        createElement(
          "a",
          { href: savedForm.url },
          gettext("“{words}”, {when}", { words: text.trim().slice(0, 40), when: formatTimeAgo(savedForm.at) }),
        ),
      );
      list.hidden = false;
    }
  }
}

/** Empties the lists of other forms, which are listed again when the next form is opened. */
export function forgetListedForms(): void {
  for (const list of document.querySelectorAll<HTMLElement>("[data-kept-list]")) {
    delete list.dataset.told;
    for (const link of list.querySelectorAll("a")) link.remove();
    list.hidden = true;
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

/** Restores input in forms of the page that weren't checked yet. */
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
  // The range was changed, but not the text: the server passes it on to the form of the new lines.
  document.addEventListener("submit", (event) => {
    const form = event.target as HTMLFormElement;
    if ((event.submitter as HTMLButtonElement | null)?.value === "range")
      localStorage.removeItem(PREFIX + (form.dataset.keep ?? ""));
  });
  document.addEventListener("htmx:after:swap", restoreForms);
}
