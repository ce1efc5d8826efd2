// The ID of an editor tab: 32 hexadecimal digits. The first 8 identify the draft and the next 8 the browser, so that a
// user's pages can tell from the IDs alone where else the same draft is open.

const DRAFT_DIGITS = 8;
const BROWSER_DIGITS = 8;
const BROWSER_KEY = "promptuary-browser";

/** A new ID for a tab that shows this draft. draft: its name, empty for the default one. */
export function makeTabId(draft: string): string {
  return hashDraft(draft) + readBrowserId() + makeRandomDigits(16);
}

/** Where else the draft of `tab` is open, from the IDs of all of the user's tabs: here, elsewhere or nowhere. */
export function findSameDraft(tab: string, tabs: readonly string[]): "here" | "elsewhere" | "nowhere" {
  const draft = tab.slice(0, DRAFT_DIGITS);
  const others = tabs.filter((tabName) => tabName !== tab && tabName.startsWith(draft));
  const inBrowser = tab.slice(0, DRAFT_DIGITS + BROWSER_DIGITS);
  if (others.some((each) => each.startsWith(inBrowser))) return "here";
  return others.length ? "elsewhere" : "nowhere";
}

/** FNV-1a over the name's UTF-16 code units, as 8 digits. */
function hashDraft(name: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < name.length; index++) hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193);
  return (hash >>> 0).toString(16).padStart(DRAFT_DIGITS, "0");
}

/** The same in all tabs of a browser; random each time if the browser stores nothing. */
function readBrowserId(): string {
  try {
    const stored = localStorage.getItem(BROWSER_KEY);
    if (stored && /^[0-9a-f]{8}$/.test(stored)) return stored;
    const fresh = makeRandomDigits(BROWSER_DIGITS);
    localStorage.setItem(BROWSER_KEY, fresh);
    return fresh;
  } catch {
    return makeRandomDigits(BROWSER_DIGITS);
  }
}

function makeRandomDigits(count: number): string {
  const bytes = [...crypto.getRandomValues(new Uint8Array(count / 2))];
  return bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
