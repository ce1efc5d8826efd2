// The field for the name of a sample, which replaces the button that opened it.
import { createElement } from "../dom.ts";
import { gettext } from "../language.ts";

/** Asks for a unique name, with `current` as the initial value. `verb` is the button's text. */
export function askSampleName(
  opener: HTMLElement,
  verb: string,
  current: string,
  isTaken: (sample: string) => boolean,
  use: (sample: string) => void,
): void {
  const name = createElement("input", {
    type: "text",
    "aria-label": gettext("Name of the new sample"),
    maxlength: 60,
    required: true,
  });
  name.value = current;
  const save = createElement("button", { type: "button", class: "button button-small" }, verb);
  const message = createElement("p", { class: "field-error", role: "alert" });
  const row = createElement("div", { class: "inputs-keep" }, name, save, message);
  const close = (): void => {
    row.remove();
    opener.hidden = false;
    opener.focus();
  };
  const closeForm = (): void => {
    const sample = name.value.trim();
    if (!sample) {
      name.focus();
      return;
    }
    if (isTaken(sample)) {
      message.textContent = gettext("There is already a sample called {name}.", { name: sample });
      name.focus();
      return;
    }
    close();
    use(sample);
  };
  save.addEventListener("click", closeForm);
  name.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      closeForm();
    } else if (event.key === "Escape") close();
  });
  opener.hidden = true;
  opener.after(row);
  name.select();
}
