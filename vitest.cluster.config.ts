import { defineConfig } from "vitest/config";
import { ClosingLine } from "./scripts/closing-line.ts";
import { fromSource, settings } from "./scripts/test-settings.ts";

export default defineConfig({
  ...fromSource,
  root: "packages/e2e",
  // The environment of globalSetup.
  environments: { __vitest__: { resolve: fromSource.resolve } },
  test: {
    ...settings,
    name: "cluster",
    include: ["cluster/**/*.test.ts"],
    globalSetup: ["cluster/find-binaries.ts"],
    // Each file has a control plane of its own, and a measured pace to keep.
    fileParallelism: false,
    // Real time on a machine that others share: a second try, which the report names, and never a third.
    retry: process.env["CI"] === undefined ? 0 : 1,
    reporters: ["default", new ClosingLine()],
    passWithNoTests: false,
  },
});
