// Keyboard shortcuts of every page, and the dialog that lists them.
import { createElement } from "../dom.ts";
import { gettext } from "../language.ts";
import { pressPromote, tickRange, tickRow } from "./desk_keys.ts";
import { commentOnLine, goToChange, goToDecision } from "./diff_keys.ts";
import { toggleReviewed } from "./reviewed.ts";
import { openRowMenu } from "./row_menu.ts";
import { pressScoreKey } from "./scoring.ts";

const KEY_HELP: [string, string][] = [
  ["Ctrl K", gettext("Find a template, a change or an action")],
  ["j / k", gettext("Next or previous row of a list")],
  ["Enter", gettext("Open the row")],
  ["/", gettext("Search this page")],
  ["x", gettext("Tick the row, again to untick it (Environments)")],
  ["Shift x", gettext("Tick all rows from the one ticked last (Environments)")], // no text: keys
  ["p", gettext("Promote the ticked templates, or take the next action of the row (Environments)")],
  [".", gettext("Open the menu of the row (Environments)")],
  ["1–5, g / b", gettext("Score the reply, again to remove the score (where rows are scored)")],
  ["c", gettext("Comment on the reply (where rows are scored)")],
  ["Enter", gettext("Save and go to the next row (where rows are scored)")],
  ["e", gettext("Edit the template shown, or that of the row")],
  ["c", gettext("Propose the template of the row (Templates)")],
  ["d", gettext("Add the row to a dataset (where runs stand side by side)")],
  ["n / p", gettext("Next or previous change (where versions are compared)")],
  ["↑ ↓ Home End", gettext("Line by line (on a line number)")],
  ["c, Enter", gettext("Comment on the line, or suggest another text (where versions are compared)")],
  ["Esc", gettext("Back to the line (in the form of a remark)")],
  ["a", gettext("Go to the buttons of the decision (change)")],
  ["r", gettext("Mark as reviewed, again to remove the mark (change)")],
  ["f", gettext("Next template of the release")],
  ["Shift Enter", gettext("All lines up to this number (on a line number of a change)")], // no text: keys
  ["[ / ]", gettext("Previous or next sample")],
  ["Alt PgUp / PgDn", gettext("Previous or next sample, in the same field (editor, in Samples)")], // no text: keys
  ["Esc", gettext("Back to the table (editor, beside the samples)")],
  ["Alt ↑ / ↓", gettext("Move the sample or the item of a list (editor)")], // no text: keys
  ["Ctrl S", gettext("Save a version (editor)")],
  ["Alt 1 / 2 / 3", gettext("Edit, Run or Samples (editor)")],
  ["Ctrl Enter", gettext("Run the draft in Run, else render and check now (editor)")],
  ["Esc", gettext("Stop the replies that are being written (editor, in Run)")],
  ["F8", gettext("Next problem (editor)")],
  ["Ctrl .", gettext("Apply the fix at the cursor (editor)")],
  ["Ctrl .", gettext("Menu of the input at the cursor (editor, in a part)")],
  ["Ctrl F", gettext("Find in the source (editor)")],
  ["Esc, Tab", gettext("Leave the source by keyboard (editor)")],
  ["?", gettext("This overview")],
];

declare global {
  interface Window {
    takeEarlyKeys?: () => KeyboardEvent[]; // from `early_keys.ts`, on pages that load it
  }
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest("input:not([type=checkbox]), textarea, select, [contenteditable=true], .cm-editor") !== null;

function openKeyHelp(): void {
  const sheet = createElement("dialog", { class: "shortcuts-dialog", "aria-labelledby": "sheet-title" });
  const list = createElement("dl", {});
  for (const [keys, meaning] of KEY_HELP)
    list.append(createElement("dt", {}, createElement("kbd", {}, keys)), createElement("dd", {}, meaning));
  const off = createElement("input", { type: "checkbox", checked: localStorage.getItem("single-keys") === "off" });
  off.addEventListener("change", () => localStorage.setItem("single-keys", off.checked ? "off" : "on"));
  const close = createElement("button", { type: "button", class: "button" }, gettext("Close"));
  close.addEventListener("click", () => sheet.close());
  sheet.append(
    createElement("h2", { id: "sheet-title" }, gettext("Keyboard shortcuts")),
    list,
    createElement("label", { class: "check" }, off, " ", gettext("Turn the single-letter keys off")),
    close,
  );
  sheet.addEventListener("close", () => sheet.remove());
  document.body.append(sheet);
  sheet.showModal();
}

function moveCurrentRow(by: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")];
  if (!rows.length) return;
  const current = rows.findIndex((row) => row.classList.contains("is-current"));
  const next = rows[Math.min(rows.length - 1, Math.max(0, current + by))];
  rows[current]?.classList.remove("is-current");
  next?.classList.add("is-current");
  next?.querySelector("a")?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

function selectNextSample(by: number): void {
  const picker = document.querySelector<HTMLSelectElement>("select[name=sample]");
  if (!picker || picker.options.length < 2) return;
  picker.selectedIndex = (picker.selectedIndex + by + picker.options.length) % picker.options.length;
  picker.dispatchEvent(new Event("change", { bubbles: true }));
}

/** Follows the link with this key; false if the page has none. */
function followLink(key: string): boolean {
  const link = document.querySelector<HTMLAnchorElement>(`a[data-key=${key}]`);
  link?.click();
  return link !== null;
}

/** Opens the current row's link with this key; false if no row is marked or it has no such link. */
function followRow(key: "e" | "c"): boolean {
  const row =
    document.activeElement?.closest<HTMLElement>("[data-row]") ??
    document.querySelector<HTMLElement>("[data-row].is-current");
  const address = key === "e" ? row?.dataset.onE : row?.dataset.onC;
  if (address) window.location.assign(address);
  return Boolean(address);
}

/** Opens the editor with the focus in the text, or whatever else the page assigns to this key. */
function editByKey(): void {
  if (followRow("e")) return;
  const link = document.querySelector<HTMLAnchorElement>("a[data-edit]");
  if (link) window.location.assign(`${link.href}#text`);
  else followLink("e");
}

const KEY_ACTIONS: Record<string, () => unknown> = {
  "?": openKeyHelp,
  j: () => followLink("j") || moveCurrentRow(1),
  k: () => followLink("k") || moveCurrentRow(-1),
  "]": () => selectNextSample(1),
  "[": () => selectNextSample(-1),
  "/": () => document.querySelector<HTMLElement>("main input[name=q]")?.focus(),
  e: editByKey,
  d: () => followLink("d"),
  x: tickRow,
  X: () => tickRange(),
  ".": openRowMenu,
  p: () => goToChange(-1) || pressPromote(),
  n: () => goToChange(1),
  c: () => followRow("c") || commentOnLine(),
  a: goToDecision,
  f: () => followLink("f") || (document.querySelector(".release-table") && moveCurrentRow(1)),
  r: toggleReviewed,
};

/** Single keys (which can be disabled), ignored in fields and for the browser's own shortcuts. */
export function installShortcuts(): void {
  const handleKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (document.querySelector("dialog[open], .row-menu:popover-open")) return;
    if (event.key !== "?" && localStorage.getItem("single-keys") === "off") return;
    if (pressScoreKey(event.key, event.target)) {
      event.preventDefault();
      return;
    }
    const keyAction = KEY_ACTIONS[event.key];
    if (!keyAction) return;
    event.preventDefault();
    keyAction();
  };
  document.addEventListener("keydown", handleKey);
  for (const event of window.takeEarlyKeys?.() ?? []) handleKey(event);
  for (const opener of document.querySelectorAll<HTMLElement>("[data-keys]")) {
    opener.addEventListener("click", (event) => {
      event.preventDefault();
      openKeyHelp();
    });
  }
}
