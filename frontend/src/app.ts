// What every page loads. Pages are plain links and forms without it.
import "htmx.org";
import { installCopy, showCopyButtons } from "./app/copy.ts";
import { installForms } from "./app/forms.ts";
import { installKeeping } from "./app/keep.ts";
import { installKeys } from "./app/keys.ts";
import { installPalette } from "./app/palette.ts";
import { installRanges } from "./app/ranges.ts";
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
