import { defineConfig } from "vitest/config";
import { ClosingLine } from "./scripts/closing-line.ts";
import { fromSource, settings } from "./scripts/test-settings.ts";

/** The documentation site in a real Chromium, which takes a core of its own: too long for `npm test`. */
export default defineConfig({
  ...fromSource,
  test: {
    ...settings,
    name: "docs",
    include: ["packages/site/test/browser/**/*.test.ts"],
    globalSetup: ["packages/site/test/browser/served.ts"],
    maxWorkers: 2,
    reporters: ["default", new ClosingLine()],
    passWithNoTests: false,
  },
});
