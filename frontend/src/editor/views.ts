// The three views of the editor: Edit, Run and Samples. They share the draft, its history and its samples.
import { findElement } from "../dom.ts";

export type EditorView = "edit" | "run" | "samples";
const VIEWS: EditorView[] = ["edit", "run", "samples"];

/** The URL of a view of the editor. editor: the URL of the editor, which may name a draft. */
export function buildViewAddress(editor: string, view: EditorView): string {
  if (view === "edit") return editor;
  return `${editor}${editor.includes("?") ? "&" : "?"}view=${view}`;
}

/** Installs the links and the keys Alt 1 to 3. editor: the URL of the editor with its draft. `opened` is called with
 * each view that is opened; returns the function that opens one. */
export function installViews(
  root: HTMLElement,
  editor: string,
  opened: (view: EditorView) => void,
): (view: EditorView) => void {
  const links = [...root.querySelectorAll<HTMLAnchorElement>("[data-view-link]")];
  const save = findElement(root, "button[name=do][value=save]");
  const open = (view: EditorView): void => {
    root.dataset.view = view;
    for (const link of links) {
      if (link.dataset.viewLink === view) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    save.classList.toggle("button-primary", view !== "run"); // its only primary button is Run
    window.history.replaceState(null, "", buildViewAddress(editor, view));
    opened(view);
  };
  // Delegated, because the server renders further links later. Focus the main link: the clicked one may be hidden now.
  root.addEventListener("click", (event) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>("[data-view-link]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    const view = link.dataset.viewLink as EditorView;
    open(view);
    if (link.dataset.viewTab) root.querySelector<HTMLElement>(`[data-tab=${link.dataset.viewTab}]`)?.click();
    links.find((link) => link.dataset.viewLink === view)?.focus();
  });
  document.addEventListener(
    "keydown",
    (event) => {
      if (!event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      const view = VIEWS[["Digit1", "Digit2", "Digit3"].indexOf(event.code)];
      if (!view || document.querySelector("dialog[open]")) return;
      event.preventDefault();
      open(view);
      links.find((link) => link.dataset.viewLink === view)?.focus();
    },
    { capture: true },
  );
  return open;
}
