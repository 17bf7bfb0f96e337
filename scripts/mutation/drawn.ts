// Where the mutants of a sample are. Only there the code is prepared for mutants: all of a package would take many gigabytes.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Logger } from "@stryker-mutator/api/logging";
import { Instrumenter } from "@stryker-mutator/instrumenter";
import { fromOne, isDrawn } from "./mutants.ts";
import type { Sample } from "./scope.ts";

const silent = { debug: ignore, info: ignore, isDebugEnabled: () => false } as unknown as Logger;

/** As patterns of Stryker's setting `mutate`, such as `packages/core/src/a.ts:3:14-3:19`: lines count from 1, columns from 0. */
export async function drawnPlaces(files: readonly string[], sample: Sample): Promise<string[]> {
  const sources = files.map((file) => ({
    name: resolve(file),
    mutate: true,
    content: readFileSync(file, "utf8"),
  }));
  const options = { plugins: null, excludedMutations: [], ignorers: [] };
  const { mutants } = await new Instrumenter(silent).instrument(sources, options);
  const drawn = mutants.filter((mutant) => isDrawn(fromOne(mutant), sample));
  return drawn.map(({ fileName, location: { start, end } }) => {
    const file = files[sources.findIndex(({ name }) => name === fileName)];
    return `${file}:${start.line + 1}:${start.column}-${end.line + 1}:${end.column}`;
  });
}

function ignore(): void {
  // These messages are about files, and not about mutants.
}
