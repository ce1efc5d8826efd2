// Keys of a form that scores the replies of one row: 1 to 5, G and B score, C comments, Enter continues.
const SCORES: Record<string, string> = { g: "good", b: "bad", "1": "1", "2": "2", "3": "3", "4": "4", "5": "5" };

// A second key before the response to the first would replace that score, or score the same reply again.
let sentForm: HTMLFormElement | null = null;
addEventListener("pageshow", () => {
  sentForm = null; // also if the browser returns to a page that was left while submitting
});

/** Presses the button for a key in the form on the page; returns whether there was one. */
export function pressScoreKey(key: string, target: EventTarget | null): boolean {
  const form = document.querySelector<HTMLFormElement>("form[data-scoring]");
  if (!form) return false;
  if (form === sentForm) return true;
  if (key === "Enter") {
    if (target instanceof Element && target.closest("a, button, summary")) return false;
    return pressButton(form.querySelector<HTMLButtonElement>("button[value=next]"));
  }
  const column = findCurrentColumn(form);
  if (key === "c") {
    const field = column?.querySelector<HTMLTextAreaElement>("textarea");
    field?.focus();
    return Boolean(field);
  }
  const score = SCORES[key];
  return score ? pressButton(column?.querySelector<HTMLButtonElement>(`button[data-score="${score}"]`) ?? null) : false;
}

function pressButton(button: HTMLButtonElement | null): boolean {
  if (button) sentForm = button.form;
  button?.click();
  return Boolean(button);
}

/** The focused reply, else the first without a score, else the last scored one. */
function findCurrentColumn(form: HTMLFormElement): HTMLElement | null {
  const columns = [...form.querySelectorAll<HTMLElement>(".score-column")].filter((one) =>
    one.querySelector("textarea"),
  );
  const focused = columns.find((one) => one.contains(document.activeElement));
  const unscored = columns.find((one) => !one.dataset.scored);
  const last = columns.find((one) => `#${one.id}` === location.hash);
  return focused ?? unscored ?? last ?? columns[0] ?? null;
}
