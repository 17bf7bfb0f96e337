// Plugins of Stryker: one leaves out what is not drawn, the other prints each survivor as soon as it is known.
import type { Mutant, MutantResult } from "@stryker-mutator/api/core";
import { passedScope } from "./environment.ts";
import { describe, equivalentOf, fromOne, isDrawn } from "./mutants.ts";

/** Stryker runs no test for a mutant that a checker refuses. */
function check(mutants: readonly Mutant[]) {
  const { sample } = passedScope();
  const results = mutants.map((counted) => {
    const mutant = fromOne(counted);
    const isWanted = isDrawn(mutant, sample) && equivalentOf(mutant) === undefined;
    return [mutant.id, isWanted ? { status: "passed" } : { status: "compileError", reason: "left out" }];
  });
  return Promise.resolve(Object.fromEntries(results));
}

function print(mutant: Readonly<MutantResult>): void {
  if (mutant.status !== "Survived" && mutant.status !== "NoCoverage") return;
  if (!isDrawn(mutant, passedScope().sample) || equivalentOf(mutant) !== undefined) return;
  console.log(`${mutant.status === "Survived" ? "survived" : "no test "}  ${describe(mutant)}`);
}

/** Stryker reads this name. */
export const strykerPlugins = [
  {
    kind: "Checker",
    name: "drawn",
    value: {
      init: () => Promise.resolve(),
      group: (mutants: readonly Mutant[]) => Promise.resolve([mutants.map(({ id }) => id)]),
      check,
    },
  },
  { kind: "Reporter", name: "survivors", value: { onMutantTested: print } },
];
