// Runs Stryker for one scope.
import { createHash } from "node:crypto";
import { globSync } from "node:fs";
import { join } from "node:path";
import type { MutantResult } from "@stryker-mutator/api/core";
import { Stryker } from "@stryker-mutator/core";
import { drawnPlaces } from "./drawn.ts";
import { passScope } from "./environment.ts";
import { isDrawn } from "./mutants.ts";
import { nameOf, type Scope } from "./scope.ts";

export interface RunOptions {
  readonly concurrency: number;
  /** Tries mutants again whose result is known from the last run. */
  readonly isForced: boolean;
}

/** The results of the mutants that belong to the scope. The working folder is the root of the tree. */
export async function mutate(scope: Scope, options: RunOptions): Promise<readonly MutantResult[]> {
  passScope(scope);
  const { packageName, folder, sample } = scope;
  const files = mutatedFiles(packageName, folder);
  const places = sample === undefined ? files : await drawnPlaces(files, sample);
  if (places.length === 0) return [];
  const kept = join("node_modules/.cache/mutation", fileNameOf(scope));
  const stryker = new Stryker({
    configFile: join(import.meta.dirname, "stryker.json"),
    mutate: places,
    plugins: ["@stryker-mutator/vitest-runner", join(import.meta.dirname, "plugin.ts")],
    // Code that runs once, when its module is loaded: each mutant would take all tests of the package.
    ignoreStatic: true,
    // Not below node_modules, whose files vitest does not transform.
    tempDirName: ".stryker-tmp",
    concurrency: options.concurrency,
    incremental: true,
    incrementalFile: `${kept}.json`,
    force: options.isForced,
    reporters: ["survivors", process.stdout.isTTY ? "progress" : "progress-append-only", "html"],
    htmlReporter: { fileName: `${kept}.html` },
  });
  const results = await stryker.runMutationTest();
  return results.filter((mutant) => isDrawn(mutant, sample));
}

/** What serves tests alone is left out. */
function mutatedFiles(packageName: string, folder: string): string[] {
  const all = globSync(`packages/${packageName}/${folder}/**/*.ts`);
  return all.filter((file) => !file.startsWith(`packages/${packageName}/src/testing/`)).sort();
}

function fileNameOf(scope: Scope): string {
  const hash = createHash("sha256").update(JSON.stringify(scope)).digest("hex").slice(0, 8);
  return `${nameOf({ ...scope, sample: undefined }).replaceAll("/", "-")}-${hash}`;
}
