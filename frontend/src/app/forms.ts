// Forms that submit on change, and forms that warn before unsent text is lost.
/** Selects inside `form[data-autosubmit]` submit it when changed, so its own button (class `without-js`) may hide.
 * In a form that writes, values that arrow keys or letters only pass by are not sent: Enter or leaving the select does. */
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

/** Asks before a page with typed but unsent text in `form[data-warn]` is left. */
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

export function installForms(): void {
  submitOnChange();
  warnBeforeLeaving();
}
