// The menu of an expression in a card: declare its input, rename it everywhere, or make the expression plain text.
import type { Extension } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { createElement } from "../../dom.ts";
import { gettext } from "../../language.ts";
import type { Rename } from "./input_name.ts";
import { findFirstName, listExpressions } from "./value_chips.ts";

/** What the menu needs from the form around it. */
export interface ChipMenuHost {
  /** Names that the text uses without declaring them. */
  undeclared(): string[];
  /** Names of the declared inputs. */
  declared(): string[];
  /** Declares the names that the text uses; returns null on success, else the reason. */
  declareAll(): Promise<string | null>;
  rename: Rename;
}

/** An expression of an editor's text, from its first brace to its last. */
interface Place {
  source: string;
  from: number;
  to: number;
}

/** A click on a chip opens its menu, and so does Ctrl with a full stop beside one. After a click the text keeps the
 * focus, so that the user can continue typing. */
export function chipMenu(host: ChipMenuHost): Extension {
  let menu: HTMLElement | null = null;
  const openAt = (view: EditorView, offset: number): boolean => {
    const place = findExpression(view, offset, [...host.undeclared(), ...host.declared()]);
    if (!place) return false;
    menu = openMenu(view, place, host);
    return true;
  };
  const openByKey = (view: EditorView): boolean => {
    const isOpen = openAt(view, view.state.selection.main.head);
    if (isOpen) menu?.querySelector("button")?.focus();
    return isOpen;
  };
  return [
    keymap.of([{ key: "Mod-.", run: openByKey }]),
    EditorView.domEventHandlers({
      click: (event, view) => {
        const chip = (event.target as Element).closest(".chip");
        return chip !== null && view.contentDOM.contains(chip) && openAt(view, view.posAtDOM(chip));
      },
    }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged && menu?.isConnected) menu.hidePopover();
    }),
  ];
}

/** The expression that starts, ends or continues at the offset; a loop or condition only if it depends on an input. */
function findExpression(view: EditorView, offset: number, inputs: string[]): Place | null {
  const line = view.state.doc.lineAt(offset);
  const places = listExpressions(line.text).map(({ source, column }) => ({
    source,
    from: line.from + column,
    to: line.from + column + source.length,
  }));
  const beside = places.filter(
    ({ source, from, to }) =>
      from <= offset && offset <= to && (source.startsWith("{{") || inputs.includes(findFirstName(source))),
  );
  return beside.find(({ from }) => from === offset) ?? beside[0] ?? null;
}

function openMenu(view: EditorView, place: Place, host: ChipMenuHost): HTMLElement {
  const name = findFirstName(place.source);
  const label = name ? gettext("Input {name}", { name }) : place.source;
  const menu = createElement("div", { class: "menu-sheet chip-menu", popover: "auto", "aria-label": label });
  const addItem = (title: string, run: () => void): void => {
    const button = createElement("button", { type: "button" }, title);
    button.addEventListener("click", run);
    menu.append(button);
  };
  const undeclared = host.undeclared();
  if (undeclared.includes(name)) {
    const text =
      undeclared.length === 1
        ? gettext("Declare {name}", { name })
        : gettext("Declare all {count} inputs", { count: undeclared.length });
    addItem(text, () => void closeWhenDone(menu, host.declareAll()));
  }
  if (undeclared.includes(name) || host.declared().includes(name))
    addItem(gettext("Rename everywhere"), () => askForName(menu, name, host.rename));
  if (place.source.startsWith("{{"))
    addItem(gettext("Make it plain text"), () => {
      view.dispatch({ changes: { ...place, insert: quoteAsText(place.source) }, userEvent: "input.plain" });
    });
  menu.addEventListener("keydown", (event) => moveFocus(menu, event));
  menu.addEventListener("toggle", (event) => {
    if ((event as ToggleEvent).newState !== "closed") return;
    menu.remove();
    if (document.activeElement === document.body) view.focus();
  });
  document.body.append(menu);
  menu.showPopover();
  placeBelow(menu, view.coordsAtPos(place.from) ?? view.dom.getBoundingClientRect());
  return menu;
}

/** The expression as literal text, braces included. */
function quoteAsText(source: string): string {
  return `{% raw %}${source}{% endraw %}`;
}

/** A field in place of the buttons. */
function askForName(menu: HTMLElement, name: string, rename: Rename): void {
  const field = createElement("input", {
    "aria-label": gettext("New name of {name}", { name }),
    autocapitalize: "none",
    spellcheck: "false",
    value: name,
  });
  const button = createElement("button", { type: "button", class: "button button-small" }, gettext("Rename"));
  const run = (): void => {
    const next = field.value.trim();
    if (next === name) menu.hidePopover();
    else void closeWhenDone(menu, rename(name, next));
  };
  button.addEventListener("click", run);
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    run();
  });
  menu.replaceChildren(createElement("div", { class: "chip-rename" }, field, button));
  field.focus();
  field.select();
}

/** Closes the menu on success; a refusal is shown in it. */
async function closeWhenDone(menu: HTMLElement, done: Promise<string | null>): Promise<void> {
  const refusal = await done;
  if (refusal === null) {
    if (menu.isConnected) menu.hidePopover();
    return;
  }
  menu.querySelector(".field-error")?.remove();
  menu.append(createElement("p", { class: "field-error", role: "alert" }, refusal));
}

function moveFocus(menu: HTMLElement, event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const buttons = [...menu.querySelectorAll("button")];
  const focused = buttons.indexOf(document.activeElement as HTMLButtonElement);
  if (step === undefined || focused < 0) return;
  event.preventDefault();
  buttons[(focused + step + buttons.length) % buttons.length]?.focus();
}

const MARGIN = 8; // distance to the edge of the window in pixels

function placeBelow(menu: HTMLElement, at: { left: number; bottom: number; top: number }): void {
  const { width, height } = menu.getBoundingClientRect();
  const left = Math.max(MARGIN, Math.min(at.left, window.innerWidth - width - MARGIN));
  const isRoomBelow = at.bottom + height + MARGIN < window.innerHeight;
  menu.style.left = `${left}px`;
  menu.style.top = `${isRoomBelow ? at.bottom + 4 : Math.max(MARGIN, at.top - height - 4)}px`;
}
