// The script of every page; without it the pages are plain links and forms.
import "htmx.org";
import { installBulkBar, showBulkBars } from "./app/bulk_bar.ts";
import { installCopyButtons, showCopyButtons } from "./app/copy.ts";
import { installDiffKeys, showDiffStops } from "./app/diff_keys.ts";
import { installFormAutosave } from "./app/form_autosave.ts";
import { installForms } from "./app/forms.ts";
import { installShortcuts } from "./app/keys.ts";
import { installLineRanges } from "./app/line_ranges.ts";
import { installLiveStatus } from "./app/live.ts";
import { installMentions } from "./app/mentions.ts";
import { installPageDrop } from "./app/page_drop.ts";
import { installPalette } from "./app/palette.ts";
import { installPanels } from "./app/panel.ts";
import { installPresence } from "./app/presence.ts";
import { installRecent } from "./app/recent.ts";
import { installReviewed, showReviewed } from "./app/reviewed.ts";
import { installSharedDraft } from "./app/shared_draft.ts";
import { announceStatus, hideStatusLater } from "./app/status.ts";

document.documentElement.classList.add("js");
installCopyButtons();
installForms();
installFormAutosave();
installShortcuts();
installPageDrop();
installPalette();
installPanels();
installBulkBar();
installLineRanges();
installDiffKeys();
installReviewed();
installMentions();
installLiveStatus();
installRecent();
installPresence();
installSharedDraft();
hideStatusLater();
announceStatus(document);

document.addEventListener("htmx:after:swap", () => {
  showCopyButtons(document);
  showBulkBars();
  showDiffStops();
  showReviewed();
  announceStatus(document);
});
