// Forms that submit on change, and forms that warn before unsent text is lost.
/** Selects inside `form[data-autosubmit]` submit it when changed, so its own button (class `without-js`) may hide. */
function submitOnChange(event: Event): void {
  const control = event.target as Element;
  if (control instanceof HTMLSelectElement) control.closest<HTMLFormElement>("form[data-autosubmit]")?.requestSubmit();
}

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
  document.addEventListener("change", submitOnChange);
  warnBeforeLeaving();
}
