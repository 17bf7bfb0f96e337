import { BaseSequencer, type TestSpecification } from "vitest/node";

/** What a whole run of a file took: a run that ended with the first failure says little. */
const maxMs = new Map<string, number>();

/** Runs quick files first, since the first failure ends the run of a mutant. */
export class QuickFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    for (const file of files) {
      const ms = this.ctx.cache.getTestSpecificationResult(file)?.duration ?? 0;
      maxMs.set(file.moduleId, Math.max(ms, maxMs.get(file.moduleId) ?? 0));
    }
    const msOf = ({ moduleId }: TestSpecification): number => maxMs.get(moduleId) ?? 0;
    return Promise.resolve(files.toSorted((one, other) => msOf(one) - msOf(other)));
  }
}
