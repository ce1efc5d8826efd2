// A long text of a field in a large dialog.
import { createElement } from "../dom.ts";
import { gettext } from "../language.ts";

const MAX_LINES = 12;
const MAX_CHARACTERS = 600;

const isLong = (text: string): boolean => text.length > MAX_CHARACTERS || text.split("\n").length > MAX_LINES;

/** Adds a button to the head of a text field that opens the text in a dialog while it is long. */
export function addLargeView(field: HTMLElement, area: HTMLTextAreaElement, name: string): void {
  const label = gettext("Open large");
  const open = createElement(
    "button",
    { type: "button", class: "link open-large", "aria-label": `${label}: ${name}` },
    label,
  );
  const show = (): void => {
    open.hidden = !isLong(area.value);
  };
  // A field shrinks on blur, which would move the button away from the pointer.
  open.addEventListener("mousedown", (event) => event.preventDefault());
  open.addEventListener("click", () => openLarge(area, name));
  area.addEventListener("input", show);
  field.querySelector(".field-head")?.append(open);
  show();
}

/** Typing in the dialog also updates the field, so that nothing has to be confirmed. */
function openLarge(area: HTMLTextAreaElement, name: string): void {
  const large = createElement("textarea", {
    rows: 24,
    dir: "auto",
    spellcheck: area.spellcheck ? "true" : "false",
    "aria-label": name,
  });
  large.value = area.value;
  large.addEventListener("input", () => {
    area.value = large.value;
    area.dispatchEvent(new Event("input", { bubbles: true }));
  });
  const button = createElement("button", { type: "button", class: "button button-primary" }, gettext("Done"));
  const dialog = createElement("dialog", { class: "dialog dialog-large", "aria-label": name });
  dialog.append(createElement("h2", {}, name), large, createElement("div", { class: "dialog-foot" }, button));
  button.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => {
    dialog.remove();
    area.focus();
  });
  document.body.append(dialog);
  dialog.showModal();
  large.focus();
}
