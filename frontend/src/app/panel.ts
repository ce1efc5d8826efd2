// The panel before a risky action, over the page: links and choices marked `data-panel` open it; without scripts they
// open the same panel as a separate page.
import htmx from "htmx.org";
import { createElement } from "../dom.ts";
import { fillForm, listChangedValues, listValues, restoreForms } from "./form_autosave.ts";
import { showFirstFault } from "./forms.ts";
import { fetchPanel, installPanelWatch, PANEL_HEADERS } from "./panel_watch.ts";
import { showPeoplePickers } from "./people_picker.ts";

/** Opens links and forms marked `data-panel` in a dialog, and closes it when `data-panel-close` is pressed. */
export function installPanels(): void {
  document.addEventListener("click", (event) => {
    const pressed = event.target instanceof Element ? event.target : null;
    if (!pressed || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button) return;
    const dialog = pressed.closest<HTMLDialogElement>("dialog.panel-dialog");
    if (dialog && (pressed === dialog || pressed.closest("[data-panel-close]"))) {
      event.preventDefault();
      dialog.close();
      return;
    }
    const link = pressed.closest<HTMLAnchorElement>("a[data-panel]");
    if (!link || !isOverPage(link)) return;
    event.preventDefault();
    void openPanel(link.href);
  });
  document.addEventListener("submit", (event) => {
    const form = event.target instanceof HTMLFormElement ? event.target : null;
    if (form?.matches("dialog.panel-dialog #panel-form") && !("unhandled" in form.dataset)) {
      event.preventDefault();
      void sendForm(form, event.submitter);
      return;
    }
    if (!form?.matches("form[data-panel][method=get]") || !isOverPage(form)) return;
    event.preventDefault();
    void openPanel(buildAddress(form, event.submitter));
  });
  installPanelWatch((panel) => {
    if (isOverPage(panel)) void openPanel(panel.dataset.address ?? location.href);
    else location.reload();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    const form = event.target instanceof Element ? event.target.closest<HTMLFormElement>("#panel-form") : null;
    const primary = document.querySelector<HTMLButtonElement>("button.button-primary[form=panel-form]");
    if (!form || !primary || primary.disabled) return;
    event.preventDefault();
    form.requestSubmit(primary);
  });
}

/** If the panel is the page itself, its choices reload the page. */
function isOverPage(element: Element): boolean {
  return !element.closest(".panel-page");
}

/** The URL that a form of choices leads to; a button can override its form's. */
function buildAddress(form: HTMLFormElement, submitter: HTMLElement | null): string {
  const action = submitter?.hasAttribute("formaction") ? (submitter as HTMLButtonElement).formAction : form.action;
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (typeof value === "string") fields.append(name, value);
  return `${action.split("?")[0]}?${fields}`;
}

let openRequests = 0;

/** Shows the panel of a URL over the page; if that fails, opens it as a page. Of two that are opened shortly after each
 * other only the second is shown, whichever arrives first. */
async function openPanel(address: string): Promise<void> {
  openRequests += 1;
  const request = openRequests;
  const panel = await fetchPanel(address);
  if (request !== openRequests) return;
  if (!panel) {
    location.href = address;
    return;
  }
  const dialog = document.querySelector<HTMLDialogElement>("dialog.panel-dialog") ?? makeDialog();
  const before = dialog.querySelector<HTMLFormElement>("#panel-form");
  const typed = before ? listChangedValues(before) : {};
  const content = panel.querySelector<HTMLElement>(".panel");
  if (content) content.dataset.address = address;
  const form = panel.querySelector<HTMLFormElement>("#panel-form");
  if (form) fillForm(form, typed); // kept when the panel compares with another version
  dialog.replaceChildren(...panel.head.children, ...panel.body.children);
  if (!dialog.open) dialog.showModal();
  prepareParts(dialog);
  focusFirst(dialog);
}

/** Posts the form of a panel over the page. If it is refused, the panel stays, with the error at its field and what
 * was typed meanwhile. */
async function sendForm(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
  const dialog = form.closest<HTMLDialogElement>("dialog.panel-dialog");
  const before = form.closest<HTMLElement>(".panel");
  if (!dialog || !before || dialog.ariaBusy === "true") return;
  dialog.ariaBusy = "true";
  const body = new FormData(form, submitter);
  const sent = listValues(form);
  const answer = await fetch(form.action, { method: "POST", headers: PANEL_HEADERS, body }).catch(() => null);
  const address = answer?.headers.get("HX-Redirect");
  if (address) {
    location.href = address;
    return;
  }
  dialog.ariaBusy = null;
  const page = new DOMParser().parseFromString((await answer?.text()) ?? "", "text/html");
  const newPanel = page.querySelector<HTMLElement>("body > .panel");
  if (!newPanel) {
    // Nobody answered, or with a page of its own, such as that of a session that ended: the browser shows it.
    form.dataset.unhandled = "";
    form.requestSubmit(submitter);
    return;
  }
  newPanel.dataset.address = before.dataset.address ?? "";
  newPanel.dataset.about = before.dataset.about ?? "";
  const typed = Object.entries(listValues(form)).filter(([key, value]) => value !== sent[key]);
  const refused = newPanel.querySelector<HTMLFormElement>("#panel-form");
  if (refused) fillForm(refused, Object.fromEntries(typed));
  before.replaceWith(newPanel); // its stylesheets stay, so that the field at fault has its place at once
  prepareParts(dialog);
  showFirstFault(dialog);
}

/** Prepares the parts of a panel that the server rendered. */
function prepareParts(dialog: HTMLDialogElement): void {
  htmx.process(dialog);
  restoreForms();
  showPeoplePickers();
}

function makeDialog(): HTMLDialogElement {
  const dialog = createElement("dialog", { class: "panel-dialog", "aria-labelledby": "panel-title" });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  return dialog;
}

/** Focuses the required text; on a phone the title, so that the keyboard doesn't open unasked. */
function focusFirst(dialog: HTMLDialogElement): void {
  const isWide = matchMedia("(width >= 720px)").matches;
  const field = isWide ? dialog.querySelector<HTMLElement>("[data-focus]") : null;
  (field ?? dialog.querySelector<HTMLElement>("#panel-title"))?.focus();
}
