// The import page: files and folders dropped anywhere on it, and a name made from the file or the first heading.
import { createElement, findElement } from "../dom.ts";

const MOST_FILES = 500;

/** Starts on a page with a form that takes dropped files; `data-drop` holds the words that are shown meanwhile. */
export function installPageDrop(): void {
  const form = document.querySelector<HTMLFormElement>("form[data-drop]");
  if (!form) return;
  const files = findElement<HTMLInputElement>(form, "#files");
  const name = findElement<HTMLInputElement>(form, "#name");
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
    if (only && !only.name.endsWith(".zip")) fillName(name, only.name.replace(/\.[^.]*$/, ""));
  });
  findElement<HTMLTextAreaElement>(form, "#text").addEventListener("paste", (event) => {
    fillName(name, findHeading(event.clipboardData?.getData("text/plain") ?? ""));
  });
}

/** The words of the first Markdown heading; nothing without one. */
export function findHeading(text: string): string {
  return /^#{1,6}[ \t]+(.+?)[ \t]*#*$/m.exec(text)?.[1]?.slice(0, 80) ?? "";
}

function fillName(input: HTMLInputElement, name: string): void {
  if (!input.value.trim()) input.value = name;
}

function holdsFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes("Files") ?? false; // no text: a type of the browser
}

/** Puts the dropped files, those of dropped folders among them, into the field for files. */
async function takeFiles(event: DragEvent, input: HTMLInputElement): Promise<void> {
  // What an item holds can be asked for during the event only.
  const items = [...(event.dataTransfer?.items ?? [])].filter((item) => item.kind === "file");
  const dropped = items.map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }));
  const taken = new DataTransfer();
  for (const { entry, file } of dropped) {
    const files = entry ? await readEntry(entry) : file ? [file] : [];
    for (const one of files) taken.items.add(one);
  }
  if (!taken.files.length) return;
  input.files = taken.files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

async function readEntry(entry: FileSystemEntry): Promise<File[]> {
  if (entry.isFile) {
    return [await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: File[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length || found.length > MOST_FILES) return found;
    for (const child of some) if (!child.name.startsWith(".")) found.push(...(await readEntry(child)));
  }
}
