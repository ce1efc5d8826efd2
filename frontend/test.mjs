// Bundles the unit tests (TypeScript) into a folder of its own and runs them with Node's own runner.
import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const out = await mkdtemp(join(tmpdir(), "promptuary-frontend-"));
try {
  const files = (await readdir(here("tests"))).filter((name) => name.endsWith(".test.ts"));
  await esbuild.build({
    entryPoints: files.map((name) => here(`tests/${name}`)),
    outdir: out,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    alias: { "@codemirror/lang-html": here("src/editor/plain_text_language.ts") },
    logLevel: "warning",
  });
  const built = files.map((name) => join(out, name.replace(/\.ts$/, ".mjs")));
  process.exitCode = spawnSync(process.execPath, ["--test", ...built], { stdio: "inherit" }).status ?? 1;
} finally {
  await rm(out, { recursive: true, force: true });
}
