import { make } from "../dom.ts";

const SHEET: [string, string][] = [
  ["Ctrl K", "Find a template, a change or an action"],
  ["j / k", "Next or previous row of a list"],
  ["Enter", "Open the row"],
  ["/", "Search this page"],
  ["e", "Edit the template shown"],
  ["Shift Enter", "All lines up to this number (on a line number of a change)"],
  ["[ / ]", "Previous or next sample"],
  ["Ctrl S", "Save a version (editor)"],
  ["Ctrl Enter", "Render and check now (editor)"],
  ["F8", "Next problem (editor)"],
  ["Ctrl .", "Apply the fix at the cursor (editor)"],
  ["Ctrl F", "Find in the source (editor)"],
  ["Esc, Tab", "Leave the source by keyboard (editor)"],
  ["?", "This sheet"],
];

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("input, textarea, select, [contenteditable=true], .cm-editor") !== null;

function openSheet(): void {
  const sheet = make("dialog", { class: "keysheet", "aria-labelledby": "sheet-title" });
  const list = make("dl", {});
  for (const [keys, meaning] of SHEET) list.append(make("dt", {}, make("kbd", {}, keys)), make("dd", {}, meaning));
  const off = make("input", { type: "checkbox", checked: localStorage.getItem("single-keys") === "off" });
  off.addEventListener("change", () => localStorage.setItem("single-keys", off.checked ? "off" : "on"));
  const close = make("button", { type: "button", class: "button" }, "Close");
  close.addEventListener("click", () => sheet.close());
  sheet.append(
    make("h2", { id: "sheet-title" }, "Keys"),
    list,
    make("label", { class: "check" }, off, " Turn the single-letter keys off"),
    close,
  );
  sheet.addEventListener("close", () => sheet.remove());
  document.body.append(sheet);
  sheet.showModal();
}

function step(by: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")];
  if (!rows.length) return;
  const now = rows.findIndex((row) => row.classList.contains("is-current"));
  const next = rows[Math.min(rows.length - 1, Math.max(0, now + by))];
  rows[now]?.classList.remove("is-current");
  next?.classList.add("is-current");
  next?.querySelector("a")?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

function stepSample(by: number): void {
  const picker = document.querySelector<HTMLSelectElement>("select[name=sample]");
  if (!picker || picker.options.length < 2) return;
  picker.selectedIndex = (picker.selectedIndex + by + picker.options.length) % picker.options.length;
  picker.dispatchEvent(new Event("change", { bubbles: true }));
}

const PLAIN: Record<string, () => void> = {
  "?": openSheet,
  j: () => step(1),
  k: () => step(-1),
  "]": () => stepSample(1),
  "[": () => stepSample(-1),
  "/": () => document.querySelector<HTMLElement>("main input[name=q]")?.focus(),
  e: () => document.querySelector<HTMLAnchorElement>("a[data-key=e]")?.click(),
};

/** Single keys (which can be turned off), never taken from a field and never one the browser owns. */
export function installKeys(): void {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (document.querySelector("dialog[open]")) return;
    if (event.key !== "?" && localStorage.getItem("single-keys") === "off") return;
    const act = PLAIN[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  for (const opener of document.querySelectorAll<HTMLElement>("[data-keys]")) {
    opener.hidden = false;
    opener.addEventListener("click", openSheet);
  }
}
