// Builds the page into dist: hashed files, nothing inline, so that the strictest Content-Security-Policy holds.
import { defineConfig, type Plugin } from "vite";
import { hashInputs, isInput, stampFile } from "./build/inputs.ts";

/**
 * A module that several pages load is loaded whole by each of them, with what any of them needs of it. These import one
 * small function of a module whose rest only decisions in the making, or whole explanations, need. A copy of its own
 * spares the pages that read decisions a seventh of their code.
 */
const onePartOnly: readonly (readonly [importer: string, source: string])[] = [
  ["/core/src/reasons/summary/release.ts", "../../decide/cooldown.ts"],
  ["/core/src/reasons/explain/short-metric.ts", "./metric.ts"],
];

const ownCopies: Plugin = {
  name: "own-copies",
  enforce: "pre",
  async resolveId(source, importer) {
    if (!onePartOnly.some(([from, of]) => source === of && importer?.endsWith(from))) return undefined;
    const resolved = await this.resolve(source, importer, { skipSelf: true });
    return resolved === null ? undefined : `${resolved.id}?part`;
  },
};

/** What vite puts around imports waits for style sheets and preloads, of which there are none. */
const plainImports: Plugin = {
  name: "plain-imports",
  enforce: "pre",
  load: (id) =>
    id === "\0vite/preload-helper.js" ? "export const __vitePreload = (load) => load();" : undefined,
};

/** Says in the build what it was made from. All that it reads has to count. */
const stamp: Plugin = {
  name: "stamp",
  generateBundle() {
    const foreign = [...this.getModuleIds()].filter((id) => !isInput(id));
    if (foreign.length > 0) this.error(`${foreign.join(", ")}: not among the inputs of build/inputs.ts`);
    this.emitFile({ type: "asset", fileName: stampFile, source: hashInputs() });
  },
};

export default defineConfig({
  root: import.meta.dirname,
  // The page is served below any path.
  base: "./",
  resolve: { conditions: ["@plimsoll/source", "module", "browser", "development|production"] },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  plugins: [ownCopies, plainImports, stamp],
  build: {
    target: "es2023",
    outDir: "dist",
    assetsInlineLimit: 0,
    // Chunks are few and small: what preloads them would weigh more than it saves.
    modulePreload: false,
    reportCompressedSize: false,
    // Which page needs which files: for build/sizes.ts.
    manifest: true,
  },
});
