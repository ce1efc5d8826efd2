// The editor's global keys: save, preview. Enter in a field presses no button.
import type { KeyBinding } from "@codemirror/view";

/** The actions of the keys. */
export interface EditorActions {
  save(): void;
  preview(): void;
}

/** Installs the keys on the page; returns those for the source editor, which handles keys itself. */
export function installEditorKeys(root: HTMLElement, actions: EditorActions): KeyBinding[] {
  document.addEventListener("keydown", (event) => {
    if (document.querySelector("dialog[open]") || event.defaultPrevented) return;
    if (!event.ctrlKey && !event.metaKey) return;
    const action = { s: actions.save, Enter: actions.preview }[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
  root.addEventListener("keydown", (event) => {
    // Enter in a field would press the first button of the form.
    if (event.key === "Enter" && event.target instanceof HTMLInputElement) event.preventDefault();
  });
  const keys = [
    { key: "Mod-s", action: actions.save },
    { key: "Mod-Enter", action: actions.preview },
  ];
  return keys.map(({ key, action }) => ({
    key,
    preventDefault: true,
    run: () => {
      action();
      return true;
    },
  }));
}
