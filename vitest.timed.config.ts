import { defineConfig } from "vitest/config";
import { ClosingLine } from "./scripts/closing-line.ts";
import { fromSource, settings } from "./scripts/test-settings.ts";

/** Decisions and scrapes of each second, which a machine that does other things as well is late with: `npm run test:timed`. */
export default defineConfig({
  ...fromSource,
  test: {
    ...settings,
    name: "timed",
    include: ["packages/e2e/test/stack/timed/**/*.test.ts"],
    reporters: ["default", new ClosingLine()],
    passWithNoTests: false,
  },
});
