// Moving parts among their siblings: by dragging, from a part's menu, or by keys.
import { createElement, createIcon } from "../../dom.ts";
import { gettext } from "../../language.ts";

/** The actions on one node of a list. */
export interface NodeActions {
  /** The node's name for screen readers: "instructions", "the loop". */
  title: string;
  index: number;
  /** The number of nodes in the list. */
  count: number;
  move(from: number, to: number): void;
  remove(): void;
}

const DRAGGED = "application/x-promptuary-part";
let dragged: { list: object; index: number } | null = null;

/** The handle of a node: dragging moves the node, clicking opens a menu with the same moves. */
export function drawHandle(actions: NodeActions): HTMLElement {
  const { title, index, count } = actions;
  const sheet = createElement("div", { class: "menu-sheet" });
  const addEntry = (icon: string, text: string, keys: string, run: () => void): void => {
    const hint = createElement("kbd", { class: "end" }, keys);
    const button = createElement("button", { type: "button" }, createIcon(icon), text, ...(keys ? [hint] : []));
    button.addEventListener("click", run);
    sheet.append(button);
  };
  if (index > 0) addEntry("arrow-up", gettext("Move up"), "Alt ↑", () => actions.move(index, index - 1));
  if (index < count - 1) addEntry("arrow-down", gettext("Move down"), "Alt ↓", () => actions.move(index, index + 1));
  addEntry("trash-2", gettext("Remove"), "", () => actions.remove());
  const summary = createElement(
    "summary",
    {
      class: "icon-button",
      "aria-label": gettext("Move or remove {part}", { part: title }),
      title: gettext("Drag to move. Click for a menu."),
    },
    createIcon("grip-vertical"),
  );
  return createElement("details", { class: "menu form-handle" }, summary, sheet);
}

/** Makes a node movable: by dragging its handle onto another node of the same list, or with Alt and an arrow key in its
 * head. `list` is the identity of the list. */
export function installMoves(element: HTMLElement, head: HTMLElement, list: object, actions: NodeActions): void {
  const handle = head.querySelector<HTMLElement>(".form-handle > summary");
  if (!handle) return;
  handle.draggable = true;
  handle.addEventListener("dragstart", (event) => {
    dragged = { list, index: actions.index };
    event.dataTransfer?.setData(DRAGGED, String(actions.index));
    event.dataTransfer?.setDragImage(element, 16, 16);
    element.classList.add("is-dragged");
  });
  handle.addEventListener("dragend", () => {
    dragged = null;
    element.classList.remove("is-dragged");
  });
  const accepts = (): boolean => dragged?.list === list;
  element.addEventListener("dragover", (event) => {
    if (!accepts() || !dragged) return;
    event.preventDefault();
    event.stopPropagation();
    element.classList.toggle("is-drop-above", dragged.index > actions.index);
    element.classList.toggle("is-drop-below", dragged.index < actions.index);
  });
  element.addEventListener("dragleave", () => element.classList.remove("is-drop-above", "is-drop-below"));
  element.addEventListener("drop", (event) => {
    if (!accepts() || !dragged) return;
    event.preventDefault();
    event.stopPropagation();
    element.classList.remove("is-drop-above", "is-drop-below");
    if (dragged.index !== actions.index) actions.move(dragged.index, actions.index);
  });
  head.addEventListener("keydown", (event) => {
    // In a select these keys open it.
    if (!event.altKey || event.ctrlKey || event.metaKey || event.target instanceof HTMLSelectElement) return;
    const to = { ArrowUp: actions.index - 1, ArrowDown: actions.index + 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    if (to >= 0 && to < actions.count) actions.move(actions.index, to);
  });
}
