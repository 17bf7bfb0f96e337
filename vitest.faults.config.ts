import { defineConfig } from "vitest/config";
import { ClosingLine } from "./scripts/closing-line.ts";
import { fromSource, settings } from "./scripts/test-settings.ts";

/** Files that mostly wait. */
const light = ["packages/*/faults/soak.test.ts"];

/** Whole processes to which the system gives little. */
function project(name: string, files: object) {
  return {
    ...fromSource,
    test: {
      ...settings,
      name,
      // Real time on a machine that others share: a second try, which the report names, and never a third.
      retry: process.env["CI"] === undefined ? 0 : 1,
      ...files,
    },
  };
}

export default defineConfig({
  test: {
    projects: [
      project("faults", { include: light, maxWorkers: 2, sequence: { groupOrder: 1 } }),
      project("faults, alone", {
        include: ["packages/*/faults/**/*.test.ts"],
        exclude: light,
        maxWorkers: 1,
        sequence: { groupOrder: 2 },
      }),
    ],
    reporters: ["default", new ClosingLine()],
    passWithNoTests: false,
  },
});
