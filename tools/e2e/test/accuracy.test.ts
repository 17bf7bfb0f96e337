// The simulator beside the real autoscaler and adapter on the sandbox, in virtual time; more of it: npm run task -- accuracy.
import { expect, test } from "vitest";
import { agreement, simulatedScale } from "../accuracy/against-simulator.ts";
import { settlingMs, simulatorCases } from "../accuracy/cases.ts";
import { runStack } from "../accuracy/stack.ts";

const cases = simulatorCases(1, 1).filter(({ name }) => name.endsWith("noisy wave"));

test.each(cases)("$name: within a period and a pod of the stack", async ({ request }) => {
  const run = await runStack(request);
  const span = { fromMs: run.startMs + settlingMs, toMs: run.endMs };
  expect(run.scale.filter(({ atMs }) => atMs > span.fromMs - settlingMs).length).toBeGreaterThan(4);
  expect(agreement(simulatedScale(run, request), run.scale, span)).toBeGreaterThanOrEqual(0.95);
});
