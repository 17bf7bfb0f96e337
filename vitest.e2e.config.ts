import { defineConfig } from "vitest/config";
import { ClosingLine } from "./scripts/closing-line.ts";
import { fromSource, maxWorkers, settings } from "./scripts/test-settings.ts";

/** Both processes and a real Prometheus for each file, and simulations of many hours: too long for `npm test`. */
export default defineConfig({
  ...fromSource,
  test: {
    ...settings,
    name: "e2e",
    include: ["packages/e2e/test/stack/**/*.test.ts", "packages/*/test/long/**/*.test.ts"],
    exclude: ["packages/e2e/test/stack/timed/**"],
    globalSetup: ["packages/e2e/test/release-folder.ts"],
    maxWorkers,
    maxConcurrency: 3,
    reporters: ["default", new ClosingLine()],
    passWithNoTests: false,
  },
});
