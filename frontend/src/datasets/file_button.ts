// The button in the head of a dataset that opens a file.

/** Shows the button instead of the field, which stays visible if it contains a file that the server reads. */
export function installFileButton(file: HTMLInputElement): void {
  const button = document.querySelector<HTMLElement>("[data-open-file]");
  const field = file.closest<HTMLElement>(".field");
  if (!button || !field || field.classList.contains("field-error")) return;
  button.hidden = false;
  field.hidden = true;
  button.addEventListener("click", () => file.click());
  file.addEventListener("change", () => {
    field.hidden = !/\.ya?ml$/i.test(file.files?.[0]?.name ?? "");
  });
}
