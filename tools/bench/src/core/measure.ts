export interface Task {
  readonly name: string;
  /** One pass; what it returns is kept, so that no pass can be optimized away. */
  run(): number;
}

export interface Timing {
  readonly name: string;
  /** CPU time of the best round, the garbage collector's included: what else the machine does only ever adds. */
  readonly nanoseconds: number;
  /** Median over the rounds of this task's time against the first task's in the same round. */
  readonly ratio: number;
}

const warmUpRounds = 2;
const rounds = 10;
const passes = 20;

/**
 * Gives each task its turn, round after round, so that all meet the same weather. A turn is a number of passes; its
 * time is their average, with the garbage that they make. No collection is forced in between: it would also throw
 * away compiled code, which a controller that runs for weeks does not lose.
 */
export function measure(tasks: readonly Task[]): readonly Timing[] {
  const turns = tasks.map((): number[] => []);
  for (let round = -warmUpRounds; round < rounds; round++) {
    tasks.forEach((task, i) => {
      const took = turn(task);
      if (round >= 0) turns[i]?.push(took);
    });
  }
  const first = turns[0] ?? [];
  return tasks.map(({ name }, i) => {
    const own = turns[i] ?? [];
    const ratios = own.map((took, round) => took / (first[round] ?? NaN));
    return { name, nanoseconds: Math.min(...own), ratio: quantile(ratios, 0.5) };
  });
}

let kept = 0;

function turn(task: Task): number {
  const before = process.cpuUsage();
  for (let pass = 0; pass < passes; pass++) kept += task.run();
  const { user, system } = process.cpuUsage(before);
  if (!Number.isFinite(kept)) throw new Error(`${task.name} gave no number`);
  return ((user + system) * 1000) / passes;
}

function quantile(values: readonly number[], fraction: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(fraction * (sorted.length - 1))] ?? NaN;
}
