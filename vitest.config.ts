import { readdirSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { ClosingLine } from "./scripts/closing-line.ts";

const conditions = ["@plimsoll/source", "module", "node", "development|production"];
const roots = [
  ...readdirSync("packages").map((name) => ({ name, root: `packages/${name}` })),
  { name: "scripts", root: "scripts" },
];

export default defineConfig({
  test: {
    projects: roots.map(({ name, root }) => ({
      resolve: { conditions },
      ssr: { resolve: { conditions } },
      test: {
        name,
        root,
        include: ["test/**/*.test.ts"],
        // Whole processes, and machines that others share: what waits for a condition ends when it holds.
        testTimeout: 30_000,
        hookTimeout: 60_000,
        // Children inherit this, so a process started by a test also runs from source.
        env: { NODE_OPTIONS: "--conditions=@plimsoll/source" },
      },
    })),
    reporters: ["default", new ClosingLine()],
    passWithNoTests: false,
  },
});
