// The script of pages with a passkey form: it calls the browser's API, and submits the form with the response.
import { installPasskeyForms } from "./passkeys/form.ts";

installPasskeyForms(document);
