import { defineConfig } from "vitest/config";
import { ClosingLine } from "./scripts/closing-line.ts";
import { fromSource, settings } from "./scripts/test-settings.ts";

/** Whole processes to which the system gives little, one after the other. */
export default defineConfig({
  ...fromSource,
  test: {
    ...settings,
    name: "faults",
    include: ["packages/*/faults/**/*.test.ts"],
    fileParallelism: false,
    // Real time on a machine that others share: a second try, which the report names, and never a third.
    retry: process.env["CI"] === undefined ? 0 : 1,
    reporters: ["default", new ClosingLine()],
    passWithNoTests: false,
  },
});
