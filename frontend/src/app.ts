// What every page loads. Pages are plain links and forms without it.
import "htmx.org";
import { installCopy, showCopyButtons } from "./app/copy.ts";
import { installForms } from "./app/forms.ts";
import { installKeys } from "./app/keys.ts";
import { installPalette } from "./app/palette.ts";
import { announce, fadeStatus } from "./app/status.ts";

document.documentElement.classList.add("js");
installCopy();
installForms();
installKeys();
installPalette();
fadeStatus();
announce(document);

document.addEventListener("htmx:after:swap", () => {
  showCopyButtons(document);
  announce(document);
});
