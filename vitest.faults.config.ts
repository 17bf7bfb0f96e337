import { defineConfig } from "vitest/config";
import { ClosingLine } from "./scripts/closing-line.ts";

const conditions = ["@plimsoll/source", "module", "node", "development|production"];

/** Whole processes to which the system gives little, one after the other. */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    name: "faults",
    include: ["packages/*/faults/**/*.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 60_000,
    fileParallelism: false,
    // Real time on a machine that others share: a second try, which the report names, and never a third.
    retry: process.env["CI"] === undefined ? 0 : 1,
    // Children inherit this, so a process started by a test also runs from source.
    env: { NODE_OPTIONS: "--conditions=@plimsoll/source" },
    reporters: ["default", new ClosingLine()],
    passWithNoTests: false,
  },
});
