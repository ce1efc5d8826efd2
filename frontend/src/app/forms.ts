// Forms that submit on change, forms that warn before losing input, and the first error of a refused form.
/** Selects inside `form[data-autosubmit]` submit it when changed, so its own button (class `without-js`) may be hidden.
 * In a form that writes, values passed with arrow keys or letters aren't sent until Enter or blur. */
function submitOnChange(): void {
  let passing: HTMLSelectElement | null = null;
  const submit = (select: HTMLSelectElement) => {
    passing = null;
    select.closest<HTMLFormElement>("form[data-autosubmit]")?.requestSubmit();
  };
  document.addEventListener("keydown", (event) => {
    if (!(event.target instanceof HTMLSelectElement)) return;
    if (event.key === "Enter" && passing === event.target && isChanged(passing)) {
      event.preventDefault();
      submit(passing);
    } else passing = /^(Arrow.+|Home|End|Page.+|\S)$/.test(event.key) ? event.target : null;
  });
  document.addEventListener("change", (event) => {
    const select = event.target;
    if (!(select instanceof HTMLSelectElement)) return;
    const writes = select.form?.method === "post";
    if (!writes || passing !== select) submit(select);
  });
  document.addEventListener("focusout", (event) => {
    if (event.target === passing && passing && isChanged(passing)) submit(passing);
    passing = null;
  });
}

const isChanged = (select: HTMLSelectElement): boolean =>
  select.matches("form[data-autosubmit][method=post] select") && !select.selectedOptions[0]?.defaultSelected;

/** Asks before leaving a page with unsent input in `form[data-warn]`. */
function warnBeforeLeaving(): void {
  const dirty = new Set<HTMLFormElement>();
  document.addEventListener("input", (event) => {
    const form = (event.target as Element).closest<HTMLFormElement>("form[data-warn]");
    if (form) dirty.add(form);
  });
  document.addEventListener("submit", (event) => dirty.delete(event.target as HTMLFormElement));
  window.addEventListener("beforeunload", (event) => {
    if ([...dirty].some((form) => form.isConnected)) event.preventDefault();
  });
}

/** After a refusal, focuses the first invalid field, which may be far down; without one, shows the error. */
export function showFirstFault(part: ParentNode = document): void {
  const fields = part.querySelectorAll<HTMLElement>(".field.field-error :is(input, select, textarea)");
  const atFault = [...fields].find((field) => field.checkVisibility());
  if (atFault) {
    atFault.focus();
    atFault.closest(".field-error")?.scrollIntoView({ block: "nearest" }); // with its error, which is below it
  } else part.querySelector(".panel-form .problem-error")?.scrollIntoView({ block: "nearest" });
}

export function installForms(): void {
  submitOnChange();
  warnBeforeLeaving();
  showFirstFault();
}
