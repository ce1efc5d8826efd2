// Requests to the editor's endpoints.
import { findElement } from "../dom.ts";
import { gettext } from "../language.ts";

/** The server refused or didn't respond; `message` is a sentence for the reader. */
export class CallError extends Error {}

/** The event after the server has stored a draft: what kept it from being reached is over. */
export const SERVER_ANSWERED = "promptuary:server-answered";

/** The server couldn't be reached. */
export class OfflineError extends CallError {}

/** The session has ended; the text stays until the user has signed in again. */
export class SignedOutError extends CallError {
  constructor() {
    super(SIGNED_OUT);
  }
}

const SIGNED_OUT = gettext("You are signed out. Sign in again in another tab; your text is safe here.");

const findCsrfField = (root: ParentNode): HTMLInputElement => findElement(root, "input[name=csrfmiddlewaretoken]");

/** The user signed in again in another tab: the page's CSRF token belongs to the old session, and a fresh page has the
 * new one. */
async function renewToken(): Promise<void> {
  const page = await fetch(window.location.pathname, { headers: { Accept: "text/html" } });
  if (page.redirected) throw new SignedOutError();
  if (!page.ok) return;
  findCsrfField(document).value = findCsrfField(new DOMParser().parseFromString(await page.text(), "text/html")).value;
}

/** Sends and receives JSON. A JSON response is returned whatever its status, unless it is `{error: sentence}`. */
export async function callServer<T>(
  method: "GET" | "POST" | "PUT" | "DELETE",
  url: string,
  body: unknown,
  options: { signal?: AbortSignal; keepalive?: boolean } = {},
): Promise<T> {
  const send = (): Promise<Response> =>
    fetch(url, {
      method,
      headers: {
        "Content-Type": "application/json",
        Accept: "application/json",
        "X-CSRFToken": findCsrfField(document).value,
      },
      ...(method === "GET" ? {} : { body: JSON.stringify(body) }),
      ...options,
    });
  const isJson = (answer: Response): boolean => answer.headers.get("Content-Type")?.includes("json") ?? false;
  let answer: Response;
  try {
    answer = await send();
    if (answer.status === 403 && !isJson(answer)) {
      await renewToken();
      answer = await send();
    }
  } catch (error) {
    if (error instanceof CallError || (error instanceof DOMException && error.name === "AbortError")) throw error;
    throw new OfflineError(gettext("The server does not answer. Your text is kept in this browser."));
  }
  if (answer.redirected || answer.status === 401) {
    throw new SignedOutError();
  }
  if (isJson(answer)) {
    const answerBody = (await answer.json()) as T & { error?: string };
    if (answerBody.error) throw new CallError(answerBody.error);
    return answerBody;
  }
  throw new CallError(
    gettext("The server answered {status}. Your text is safe here; try again.", { status: answer.status }),
  );
}
