import { find } from "../dom.ts";

/** The server said no, or did not answer; `message` is a sentence for the reader. */
export class CallError extends Error {}

const token = (): string => find<HTMLInputElement>(document, "input[name=csrfmiddlewaretoken]").value;

/** Sends JSON and reads JSON. An answer in JSON is returned whatever its status, unless it is `{error: sentence}`. */
export async function call<T>(
  method: "POST" | "PUT" | "DELETE",
  url: string,
  body: unknown,
  options: { signal?: AbortSignal; keepalive?: boolean } = {},
): Promise<T> {
  let answer: Response;
  try {
    answer = await fetch(url, {
      method,
      headers: { "Content-Type": "application/json", Accept: "application/json", "X-CSRFToken": token() },
      body: JSON.stringify(body),
      ...options,
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new CallError("The server does not answer. Your text is kept in this browser.");
  }
  if (answer.redirected || answer.status === 401) {
    throw new CallError("You are signed out. Sign in again in another tab; your text is safe here.");
  }
  if (answer.headers.get("Content-Type")?.includes("json")) {
    const said = (await answer.json()) as T & { error?: string };
    if (said.error) throw new CallError(said.error);
    return said;
  }
  throw new CallError(`The server answered ${answer.status}. Your text is safe here; try again.`);
}
