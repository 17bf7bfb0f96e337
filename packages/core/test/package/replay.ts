import {
  type DecideInput,
  decide,
  explain,
  type HorizontalPodAutoscaler,
  type HpaMemory,
} from "../../src/index.ts";

/** One HPA with the readings of its successive evaluations. */
export interface Replay {
  readonly name: string;
  readonly hpa: HorizontalPodAutoscaler;
  readonly readings: readonly Omit<DecideInput, "hpa">[];
}

/** Everything that `decide` and `explain` answer, as text that can be compared across machines. */
export function replay({ name, hpa, readings }: Replay): string {
  let memory: HpaMemory | undefined;
  let stored = hpa;
  const results = readings.map((reading) => {
    const result = decide({ ...reading, hpa: stored }, memory);
    memory = result.memory;
    stored = { ...stored, status: result.decision.status };
    return { ...result, words: explain(result.decision, "markdown") };
  });
  return JSON.stringify({ name, results });
}
