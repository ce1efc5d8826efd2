// The import page: files and folders, chosen or dropped anywhere on it, and a name derived from the file or the
// heading.
import { createElement, findElement } from "../dom.ts";
import { gettext, ngettext } from "../language.ts";
import { showStatus } from "./status.ts";

/** The most files accepted at once. */
export const MAX_FILES = 500;

/** A file, and its path inside the dropped folder. */
export interface FoundFile {
  file: File;
  path: string;
}

/** Starts on a page with a form that accepts dropped files; `data-drop` is the text shown while dragging. */
export function installPageDrop(): void {
  const form = document.querySelector<HTMLFormElement>("form[data-drop]");
  if (!form) return;
  const files = findElement<HTMLInputElement>(form, "#files");
  const folder = findElement<HTMLInputElement>(form, "#folder_files");
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
    void collectDropped(event).then(([files, isAll]) => takeFiles(form, files, isAll));
  });
  folder.addEventListener("change", () => {
    const all = [...(folder.files ?? [])].map((file) => ({ file, path: file.webkitRelativePath || file.name }));
    const visible = all.filter(({ path }) => !isHidden(path));
    folder.value = ""; // they are put into the file field, which is submitted
    takeFiles(form, visible.slice(0, MAX_FILES), visible.length <= MAX_FILES);
  });
  files.addEventListener("change", (event) => {
    if (event.isTrusted) findElement<HTMLInputElement>(form, "[data-paths]").value = ""; // chosen individually
    showChosen(form, files);
    const only = files.files?.length === 1 ? files.files[0] : undefined;
    fillName(only && !only.name.endsWith(".zip") ? only.name.replace(/\.[^.]*$/, "") : "");
  });
  text.addEventListener("input", (event) => {
    if ((event as InputEvent).inputType === "insertFromPaste") fillName(findHeading(text.value));
  });
  rememberLineEnds(text, findElement<HTMLInputElement>(form, "[data-line-ends]"));
}

/** Records in a form field that pasted or dropped text has CRLF, because the text field normalizes it to LF. */
function rememberLineEnds(text: HTMLTextAreaElement, field: HTMLInputElement): void {
  const recordLineEnds = (data: DataTransfer | null): void => {
    const isAllReplaced = text.selectionEnd - text.selectionStart === text.value.length;
    const hasCrlf = data?.getData("text/plain").includes("\r") ?? false; // no text: a type of the browser
    if (hasCrlf || isAllReplaced) field.value = hasCrlf ? "crlf" : "";
  };
  text.addEventListener("paste", (event) => recordLineEnds(event.clipboardData));
  text.addEventListener("drop", (event) => recordLineEnds(event.dataTransfer));
  text.addEventListener("input", () => {
    if (!text.value) field.value = "";
  });
}

/** The text of the first Markdown heading; empty if there isn't one. */
function findHeading(text: string): string {
  return /^#{1,6}[ \t]+(.+?)[ \t]*#*$/m.exec(text)?.[1]?.slice(0, 80) ?? "";
}

/** Fills in a name and replaces it later; a name typed by the user is kept. */
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

/** The dropped files, including those in folders, and whether these are all. */
async function collectDropped(event: DragEvent): Promise<[FoundFile[], boolean]> {
  // The items can be read only during the event.
  const items = [...(event.dataTransfer?.items ?? [])].filter((item) => item.kind === "file");
  const dropped = items.map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }));
  const files: FoundFile[] = [];
  let isAll = true;
  for (const { entry, file } of dropped) {
    if (entry) isAll = (await collectFiles(entry, files)) && isAll;
    else if (file) files.push({ file, path: file.name });
  }
  return [files, isAll];
}

/** Puts files and their paths into the form; from folders only those that may contain prompts. */
function takeFiles(form: HTMLFormElement, found: FoundFile[], isAll: boolean): void {
  const files = findElement<HTMLInputElement>(form, "#files");
  const read = found.filter(({ path }) => !path.includes("/") || isReadable(path, files.accept.split(",")));
  if (!read.length) {
    if (found.length) showStatus(gettext("No file in the folder has the ending of a prompt format."));
    return;
  }
  if (!isAll) showStatus(gettext("The first {count} files are taken; the others are left out.", { count: MAX_FILES }));
  const transfer = new DataTransfer();
  for (const { file } of read) transfer.items.add(file);
  files.files = transfer.files;
  const paths = withoutCommonFolder(read.map(({ path }) => path));
  findElement<HTMLInputElement>(form, "[data-paths]").value = JSON.stringify(paths);
  files.dispatchEvent(new Event("change", { bubbles: true }));
}

/** Shows which files are chosen, because the field itself looks like a button. */
function showChosen(form: HTMLFormElement, files: HTMLInputElement): void {
  const line = findElement(form, "[data-chosen]");
  const chosen = [...(files.files ?? [])];
  line.hidden = chosen.length === 0;
  const counted = ngettext("{count} file chosen", "{count} files chosen", chosen.length);
  line.textContent = chosen.length === 1 ? (chosen[0]?.name ?? "") : counted;
}

/** Whether a file of a folder may contain prompts, by the extensions that the field accepts. */
export function isReadable(path: string, endings: string[]): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  return name === "modelfile" || endings.some((ending) => name.endsWith(ending));
}

/** The paths relative to their common folder. */
export function withoutCommonFolder(paths: string[]): string[] {
  const top = paths[0]?.split("/")[0] ?? "";
  const isShared = paths.every((path) => path.startsWith(`${top}/`));
  return isShared ? paths.map((path) => path.slice(top.length + 1)) : paths;
}

function isHidden(path: string): boolean {
  return path.split("/").some((name) => name.startsWith("."));
}

/** Adds the files of an entry up to MAX_FILES; returns whether all were added. */
export async function collectFiles(entry: FileSystemEntry, files: FoundFile[], folder = ""): Promise<boolean> {
  const path = `${folder}${entry.name}`;
  if (entry.isFile) {
    if (files.length >= MAX_FILES) return false;
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    files.push({ file, path });
    return true;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return true;
    for (const child of some) {
      if (!isHidden(child.name) && !(await collectFiles(child, files, `${path}/`))) return false;
    }
  }
}
