// Builds what the pages load into static/frontend/dist/ (never committed): five scripts, the fonts and one icon sprite.
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const out = here("static/frontend/dist/");

// Latin and Latin Extended only: anything rarer falls back to the reader's own fonts.
const RANGES = {
  latin:
    "U+0000-00FF,U+0131,U+0152-0153,U+02BB-02BC,U+02C6,U+02DA,U+02DC,U+0304,U+0308,U+0329,U+2000-206F,U+20AC,U+2122,U+2191,U+2193,U+2212,U+2215,U+FEFF,U+FFFD",
  "latin-ext":
    "U+0100-02BA,U+02BD-02C5,U+02C7-02CC,U+02CE-02D7,U+02DD-02FF,U+1D00-1DBF,U+1E00-1E9F,U+1EF2-1EFF,U+2020,U+20A0-20AB,U+20AD-20C4,U+2113,U+2C60-2C7F,U+A720-A7FF",
};
const FACES = [
  { slug: "source-serif-4", family: "Source Serif 4 Variable", axis: "opsz", weight: "200 900" },
  { slug: "source-sans-3", family: "Source Sans 3 Variable", axis: "wght", weight: "200 900" },
  { slug: "source-code-pro", family: "Source Code Pro Variable", axis: "wght", weight: "200 900" },
];

async function writeFonts() {
  await mkdir(`${out}fonts`, { recursive: true });
  const rules = [];
  for (const { slug, family, axis, weight } of FACES) {
    for (const [subset, range] of Object.entries(RANGES)) {
      const file = subset === "latin" ? `${slug}-latin.woff2` : `${slug}-${subset}.woff2`;
      await copyFile(
        here(`node_modules/@fontsource-variable/${slug}/files/${slug}-${subset}-${axis}-normal.woff2`),
        `${out}fonts/${file}`,
      );
      rules.push(
        `@font-face{font-family:"${family}";font-style:normal;font-display:swap;font-weight:${weight};` +
          `src:url("fonts/${file}") format("woff2");unicode-range:${range}}`,
      );
    }
  }
  await writeFile(`${out}fonts.css`, `${rules.join("\n")}\n`);
}

async function writeIcons() {
  const names = (await readFile(here("icons.txt"), "utf8")).split("\n").filter(Boolean);
  const symbols = [];
  for (const name of names) {
    const icon = await readFile(here(`node_modules/lucide-static/icons/${name}.svg`), "utf8");
    const shape = icon.slice(icon.indexOf(">", icon.indexOf("<svg")) + 1, icon.lastIndexOf("</svg>"));
    symbols.push(
      `<symbol id="${name}" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.75" ` +
        `stroke-linecap="round" stroke-linejoin="round">${shape.replace(/\s+/g, " ").trim()}</symbol>`,
    );
  }
  await writeFile(`${out}icons.svg`, `<svg xmlns="http://www.w3.org/2000/svg">\n${symbols.join("\n")}\n</svg>\n`);
}

const scripts = {
  entryPoints: ["app", "early_keys", "editor", "datasets", "passkeys"].map((name) => here(`src/${name}.ts`)),
  outdir: out,
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  legalComments: "linked",
  // The Jinja language falls back to HTML around its tags; ours stands in YAML or plain text, so HTML and what it
  // drags along (CSS, JavaScript) stay out of the bundle.
  alias: { "@codemirror/lang-html": here("src/editor/plain_text_language.ts") },
  logLevel: "info",
};

if (process.argv.includes("--watch")) {
  await writeFonts();
  await writeIcons();
  await (await esbuild.context(scripts)).watch();
} else {
  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  await Promise.all([writeFonts(), writeIcons(), esbuild.build(scripts)]);
}
