import { defineConfig } from "vitest/config";

const conditions = ["@plimsoll/source", "module", "node", "development|production"];

export default defineConfig({
  root: import.meta.dirname,
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  // The environment of globalSetup.
  environments: { __vitest__: { resolve: { conditions } } },
  test: {
    name: "cluster",
    include: ["cluster/**/*.test.ts"],
    globalSetup: ["cluster/find-binaries.ts"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Each file has a control plane of its own, and a measured pace to keep.
    fileParallelism: false,
    // Real time on a machine that others share: a second try, which the report names, and never a third.
    retry: process.env["CI"] === undefined ? 0 : 1,
    // Children inherit this, so a process started by a test also runs from source.
    env: { NODE_OPTIONS: "--conditions=@plimsoll/source" },
    passWithNoTests: false,
  },
});
