import { join, sep } from "node:path";
import { defineConfig, type Plugin } from "vitest/config";
import { fromSource, settings } from "../test-settings.ts";
import { passedScope } from "./environment.ts";
import { QuickFirst } from "./quick-first.ts";
import { packagesAbove } from "./scope.ts";

const { packageName } = passedScope();
const copy = process.cwd();
const original = join(copy, "../..") + sep;

/** Packages link to the original tree. Its classes are not those of the copy, so errors would not be recognized. */
const inTheCopy: Plugin = {
  name: "in-the-copy",
  enforce: "pre",
  async resolveId(source, importer, options) {
    const found = await this.resolve(source, importer, { ...options, skipSelf: true });
    if (found === null || !/^(?:packages|tools)/.test(found.id.slice(original.length))) return found;
    return found.id.startsWith(original) ? join(copy, found.id.slice(original.length)) : found;
  },
};

/** The tests of the mutated package and of those above it, in Stryker's copy of the tree. */
export default defineConfig({
  ...fromSource,
  plugins: [inTheCopy],
  test: {
    ...settings,
    root: "packages",
    include: [packageName, ...(packagesAbove[packageName] ?? [])]
      .map((name) => `${name}/test/**/*.test.ts`)
      // The vectors are tests of core, too.
      .concat(packageName === "core" ? ["conformance/test/oracle-golden.test.ts"] : []),
    exclude: [
      "*/test/{stack,long,browser}/**",
      // Code that is prepared for mutants takes minutes for the hundreds of decisions of the first two, and more memory than
      // the third one allows.
      "core/test/summary-properties.test.ts",
      "core/test/why-not-properties.test.ts",
      "kube/test/watch/hostile-memory.test.ts",
      // They compare a page with the text of the code, which is another one here.
      "*/test/http/http-api.test.ts",
      "*/test/docs/rules-file.test.ts",
    ],
    isolate: false,
    sequence: { sequencer: QuickFirst },
  },
});
