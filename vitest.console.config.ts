import { defineConfig } from "vitest/config";
import { ClosingLine } from "./scripts/closing-line.ts";
import { fromSource, settings } from "./scripts/test-settings.ts";

/** The built page in a real Chromium, which takes a core of its own: too long for `npm test`. */
export default defineConfig({
  ...fromSource,
  test: {
    ...settings,
    name: "console",
    include: ["packages/{console,e2e}/test/browser/**/*.test.ts"],
    globalSetup: ["packages/console/test/browser/build.ts"],
    maxWorkers: 2,
    // A browser draws when it has the time for it; a page that was looked at too early is opened once more.
    retry: 2,
    reporters: ["default", new ClosingLine()],
    passWithNoTests: false,
  },
});
