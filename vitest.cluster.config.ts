import { defineConfig } from "vitest/config";
import { ClosingLine } from "./scripts/closing-line.ts";
import { fromSource, maxWorkers, settings } from "./scripts/test-settings.ts";

/** Of a whole test: it starts a control plane, or follows schedules of several minutes. */
const limitMs = 300_000;

/** Files that measure a pace or an outage, which a second control plane on the same cores would change. */
const alone = ["availability", "chart", "four-workloads", "schedules", "shadow"].map(
  (name) => `cluster/${name}.test.ts`,
);

/** Each file has a control plane of its own. */
function project(name: string, files: object) {
  return {
    ...fromSource,
    root: "packages/e2e",
    // The environment of globalSetup.
    environments: { __vitest__: { resolve: fromSource.resolve } },
    test: {
      ...settings,
      testTimeout: limitMs,
      hookTimeout: limitMs,
      name,
      globalSetup: ["cluster/find-binaries.ts", "test/release-folder.ts"],
      // Real time on a machine that others share: a second try, which the report names, and never a third.
      retry: process.env["CI"] === undefined ? 0 : 1,
      ...files,
    },
  };
}

export default defineConfig({
  test: {
    projects: [
      project("cluster", {
        include: ["cluster/**/*.test.ts"],
        exclude: alone,
        maxWorkers: Math.min(maxWorkers, 2),
        sequence: { groupOrder: 1 },
      }),
      project("cluster, alone", { include: alone, maxWorkers: 1, sequence: { groupOrder: 2 } }),
    ],
    reporters: ["default", new ClosingLine()],
    passWithNoTests: false,
  },
});
