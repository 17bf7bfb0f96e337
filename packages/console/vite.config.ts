// Builds the page into dist: hashed files, nothing inline, so that the strictest Content-Security-Policy holds.
import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  // The page is served below any path.
  base: "./",
  resolve: { conditions: ["@plimsoll/source", "module", "browser", "development|production"] },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2023",
    outDir: "dist",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Which page needs which files: for bench/sizes.ts.
    manifest: true,
  },
});
