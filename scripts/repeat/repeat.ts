// Runs of the tests, one after the other, each kept as soon as it is over.

export interface TestRun {
  readonly seconds: number;
  readonly passed: number;
  /** Names of tests, and of files that could not be loaded. */
  readonly failed: readonly string[];
  /** The errors of failed tests, with the seeds of properties. */
  readonly errors: readonly string[];
}

/** What is kept between calls; runs under other conditions do not count. */
export interface Progress {
  readonly conditions: string;
  readonly runs: readonly TestRun[];
}

export interface Repetition {
  readonly times: number;
  readonly conditions: string;
  readonly kept: Progress | undefined;
  /** Undefined when it was interrupted. */
  readonly runOnce: () => Promise<TestRun | undefined>;
  /** Undefined when nothing is left to continue. */
  readonly keep: (progress: Progress | undefined) => void;
  readonly print: (line: string) => void;
}

/** @returns the runs so far: fewer than `times` when one was interrupted. */
export async function repeat(repetition: Repetition): Promise<readonly TestRun[]> {
  const { times, conditions, kept, print } = repetition;
  const runs: TestRun[] = kept?.conditions === conditions ? kept.runs.slice(0, times) : [];
  for (const [n, run] of runs.entries()) print(`${line(n, times, run)} (before)`);
  while (runs.length < times) {
    const run = await repetition.runOnce();
    if (run === undefined) {
      print(`interrupted after ${runs.length} of ${times}; the same call goes on from here`);
      return runs;
    }
    runs.push(run);
    repetition.keep({ conditions, runs });
    print(line(runs.length - 1, times, run));
    for (const error of run.errors) print(error);
  }
  repetition.keep(undefined);
  for (const text of summary(runs)) print(text);
  return runs;
}

function line(n: number, times: number, { seconds, passed, failed }: TestRun): string {
  return `run ${n + 1} of ${times}: ${seconds.toFixed(0)} s, ${passed} passed, ${failed.length} failed`;
}

function summary(runs: readonly TestRun[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const name of runs.flatMap(({ failed }) => failed)) counts.set(name, (counts.get(name) ?? 0) + 1);
  const byCount = [...counts].toSorted(([, a], [, b]) => b - a);
  const seconds = runs.map((run) => run.seconds);
  const mean = seconds.reduce((sum, value) => sum + value, 0) / runs.length;
  const range = `${Math.min(...seconds).toFixed(0)} to ${Math.max(...seconds).toFixed(0)} s`;
  const red = runs.filter(({ failed }) => failed.length > 0).length;
  return [
    ...byCount.map(([name, count]) => `failed in ${count} of ${runs.length}: ${name}`),
    `${runs.length} runs: mean ${mean.toFixed(0)} s, ${range}; ${red} with failures`,
  ];
}
