import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { churn } from "../test/schedules/churn.ts";

function collected(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed;
}

test("of 20,000 objects that came and went nothing is left on the heap", async () => {
  const heapBytes: number[] = [];
  const world = await churn(20_000, (gone) => {
    if (gone % 5000 === 0) heapBytes.push(collected());
  });
  const [first = 0] = heapBytes;
  // 15,000 objects at 100 bytes each would be 1.5 MB.
  expect((heapBytes.at(-1) ?? 0) - first).toBeLessThan(1_500_000);
  world.evaluator.stop();
  await world.bounds.stop();
});
