// The import page: files and folders dropped anywhere on it, and a name made from the file or the first heading.
import { createElement, findElement } from "../dom.ts";
import { gettext } from "../language.ts";
import { showStatus } from "./status.ts";

/** So many files are taken from what is dropped at once. */
export const MOST_FILES = 500;

/** Starts on a page with a form that takes dropped files; `data-drop` holds the words that are shown meanwhile. */
export function installPageDrop(): void {
  const form = document.querySelector<HTMLFormElement>("form[data-drop]");
  if (!form) return;
  const files = findElement<HTMLInputElement>(form, "#files");
  const text = findElement<HTMLTextAreaElement>(form, "#text");
  const fillName = nameFiller(findElement<HTMLInputElement>(form, "#name"));
  const frame = createElement("div", { class: "drop-frame" }, form.dataset.drop ?? "");
  frame.hidden = true;
  document.body.append(frame);
  let depth = 0;
  const leave = (): void => {
    depth = 0;
    frame.hidden = true;
  };
  document.addEventListener("dragenter", (event) => {
    if (!holdsFiles(event)) return;
    depth += 1;
    frame.hidden = false;
  });
  document.addEventListener("dragleave", (event) => {
    if (!holdsFiles(event)) return;
    depth -= 1;
    if (depth <= 0) leave();
  });
  document.addEventListener("dragover", (event) => {
    if (holdsFiles(event)) event.preventDefault();
  });
  document.addEventListener("drop", (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    leave();
    void takeFiles(event, files);
  });
  files.addEventListener("change", () => {
    const only = files.files?.length === 1 ? files.files[0] : undefined;
    fillName(only && !only.name.endsWith(".zip") ? only.name.replace(/\.[^.]*$/, "") : "");
  });
  text.addEventListener("input", (event) => {
    if ((event as InputEvent).inputType === "insertFromPaste") fillName(findHeading(text.value));
  });
}

/** The words of the first Markdown heading; nothing without one. */
function findHeading(text: string): string {
  return /^#{1,6}[ \t]+(.+?)[ \t]*#*$/m.exec(text)?.[1]?.slice(0, 80) ?? "";
}

/** Fills a name in, and the next one over it; what somebody typed stays. */
function nameFiller(input: HTMLInputElement): (name: string) => void {
  let filled = "";
  return (name) => {
    if (input.value.trim() && input.value !== filled) return;
    input.value = name;
    filled = name;
  };
}

function holdsFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes("Files") ?? false; // no text: a type of the browser
}

/** Puts the dropped files, those of dropped folders among them, into the field for files. */
async function takeFiles(event: DragEvent, input: HTMLInputElement): Promise<void> {
  // What an item holds can be asked for during the event only.
  const items = [...(event.dataTransfer?.items ?? [])].filter((item) => item.kind === "file");
  const dropped = items.map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }));
  const found: File[] = [];
  let isAll = true;
  for (const { entry, file } of dropped) {
    if (entry) isAll = (await collectFiles(entry, found)) && isAll;
    else if (file) found.push(file);
  }
  if (!found.length) return;
  if (!isAll) showStatus(gettext("The first {count} files are taken; the others are left out.", { count: MOST_FILES }));
  const taken = new DataTransfer();
  for (const file of found) taken.items.add(file);
  input.files = taken.files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

/** Adds the files of an entry until there are MOST_FILES; gives whether all were added. */
export async function collectFiles(entry: FileSystemEntry, found: File[]): Promise<boolean> {
  if (entry.isFile) {
    if (found.length >= MOST_FILES) return false;
    found.push(await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject)));
    return true;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return true;
    for (const child of some) if (!child.name.startsWith(".") && !(await collectFiles(child, found))) return false;
  }
}
