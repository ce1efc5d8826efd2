// Copy buttons.
import { gettext } from "../language.ts";
import { showStatus } from "./status.ts";

/** Shows the copy buttons that have something to copy; they are hidden without scripts. */
export function showCopyButtons(root: ParentNode): void {
  for (const button of root.querySelectorAll<HTMLElement>("[data-copy][hidden], [data-copy-from][hidden]"))
    button.hidden = false;
}

/** The text that a button copies: its own, or that of the element it names. */
function findTextToCopy(button: HTMLElement): string {
  const from = button.dataset.copyFrom;
  return button.dataset.copy ?? (from ? (document.querySelector(from)?.textContent ?? "") : "");
}

/** One listener for all copy buttons, including those swapped in later. */
export function installCopyButtons(): void {
  showCopyButtons(document);
  document.addEventListener("click", async (event) => {
    const button = (event.target as Element).closest<HTMLElement>("[data-copy], [data-copy-from]");
    if (!button) return;
    event.preventDefault();
    try {
      await navigator.clipboard.writeText(findTextToCopy(button));
      showStatus(button.dataset.copied ?? gettext("Copied."));
    } catch {
      showStatus(gettext("The browser did not allow copying. Select the text and copy it by hand."));
    }
  });
}
