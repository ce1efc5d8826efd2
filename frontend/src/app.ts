// What every page loads. Pages are plain links and forms without it.
import "htmx.org";
import { installCopy, showCopyButtons } from "./app/copy.ts";
import { installKeeping } from "./app/form_autosave.ts";
import { installForms } from "./app/forms.ts";
import { installKeys } from "./app/keys.ts";
import { installRanges } from "./app/line_ranges.ts";
import { installPalette } from "./app/palette.ts";
import { announce, fadeStatus } from "./app/status.ts";

document.documentElement.classList.add("js");
installCopy();
installForms();
installKeeping();
installKeys();
installPalette();
installRanges();
fadeStatus();
announce(document);

document.addEventListener("htmx:after:swap", () => {
  showCopyButtons(document);
  announce(document);
});
