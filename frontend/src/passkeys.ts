// The script of pages with a form that takes a passkey: it asks the browser, and sends the form with its answer.
import { installPasskeyForms } from "./passkeys/form.ts";

installPasskeyForms(document);
