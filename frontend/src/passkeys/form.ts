// Forms with `data-passkey`: `create` creates a passkey, `get` uses one. Submitting waits for the browser's response.
import { findElement, readJson } from "../dom.ts";
import { gettext } from "../language.ts";
import { type CreationJson, type RequestJson, readCreation, readRequest, writeAnswer } from "./json.ts";

interface Question {
  creation_options?: CreationJson;
  request_options?: RequestJson;
}

/** Enables the forms if the browser supports passkeys; otherwise a form that is one of several options stays hidden. */
export function installPasskeyForms(root: ParentNode): void {
  for (const form of root.querySelectorAll<HTMLFormElement>("form[data-passkey]")) {
    if (!("PublicKeyCredential" in window)) {
      if (form.dataset.passkeyOptional === undefined) showProblem(form, gettext("This browser has no passkeys."));
      continue;
    }
    form.hidden = false;
    findElement<HTMLButtonElement>(form, "button").disabled = false;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void sendWithAnswer(form);
    });
  }
}

async function sendWithAnswer(form: HTMLFormElement): Promise<void> {
  const button = findElement<HTMLButtonElement>(form, "button");
  button.disabled = true;
  try {
    findElement<HTMLInputElement>(form, "[name=credential]").value = await askBrowser(form);
    form.submit();
  } catch (error) {
    showProblem(form, describeError(error));
    button.disabled = false;
  }
}

async function askBrowser(form: HTMLFormElement): Promise<string> {
  const question = await readQuestion(form);
  const credential = question.creation_options
    ? await navigator.credentials.create(readCreation(question.creation_options))
    : question.request_options && (await navigator.credentials.get(readRequest(question.request_options)));
  if (!(credential instanceof PublicKeyCredential)) throw new TypeError("no passkey");
  return writeAnswer(credential);
}

/** The challenge is in the page, or is fetched from the form's URL, so that the login page creates none until it is
 * needed. */
async function readQuestion(form: HTMLFormElement): Promise<Question> {
  if (document.querySelector("#passkey-options")) return readJson<Question>("passkey-options");
  const answer = await fetch(form.action, { headers: { Accept: "application/json" } });
  if (!answer.ok) throw new TypeError(`status ${answer.status}`);
  return (await answer.json()) as Question;
}

function showProblem(form: HTMLFormElement, sentence: string): void {
  const container = findElement(form, "[data-passkey-problem]");
  findElement(container, "div").textContent = sentence;
  container.hidden = false;
}

function describeError(error: unknown): string {
  const name = error instanceof DOMException ? error.name : "";
  if (name === "InvalidStateError") return gettext("This device already has a passkey for your account.");
  if (name === "NotAllowedError") return gettext("No passkey was used: it was cancelled, or took too long.");
  if (name === "SecurityError") return gettext("The browser does not allow passkeys at this address.");
  return gettext("The passkey could not be used. Try again.");
}
