import { readdirSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { ClosingLine } from "./scripts/closing-line.ts";
import { fromSource, maxWorkers, settings } from "./scripts/test-settings.ts";

const roots = [
  ...readdirSync("packages").map((name) => ({ name, root: `packages/${name}` })),
  { name: "scripts", root: "scripts" },
];

export default defineConfig({
  test: {
    maxWorkers,
    projects: roots.map(({ name, root }) => ({
      ...fromSource,
      test: {
        ...settings,
        name,
        root,
        include: ["test/**/*.test.ts"],
        // `npm run test:e2e` and `npm run test:console`.
        exclude: ["test/stack/**", "test/long/**", "test/browser/**"],
        // No file leaves anything behind in its process: modules are loaded once for all files of a package.
        isolate: false,
      },
    })),
    reporters: ["default", new ClosingLine()],
    passWithNoTests: false,
  },
});
