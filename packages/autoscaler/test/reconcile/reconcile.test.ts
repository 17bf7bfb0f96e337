import { shareForPass } from "@plimsoll/observe";
import { expect, test } from "vitest";
import { type ReconcileSteps, reconcile } from "../../src/reconcile/reconcile.ts";

const share = shareForPass();

/** Each pass observes what comes next, and is carried out with the outcome of the same name. */
async function run(observed: readonly string[], isRemembered = true) {
  const calls: unknown[] = [];
  const rest = [...observed];
  const steps = {
    observe(key: string, pass: { readonly isLast: boolean }) {
      calls.push(pass.isLast ? `${key} last` : key);
      expect(pass).toEqual({ share, isLast: pass.isLast });
      return Promise.resolve(rest.shift());
    },
    evaluate: (observation: string) => observation,
    act: (plan: string) => Promise.resolve({ outcome: plan }),
    remember: (plan: string) => (isRemembered ? { plan, skipMs: 7 } : undefined),
    report: ({ plan }: { readonly plan: string }) => void calls.push(`report ${plan}`),
  } as unknown as ReconcileSteps;
  return { result: await reconcile("a/b", share, steps), calls };
}

test.each<[what: string, observed: readonly string[], calls: readonly string[], result: unknown]>([
  ["is scaled", ["scaled"], ["a/b", "report scaled"], { skipMs: 7 }],
  ["is gone", ["gone", "scaled"], ["a/b"], undefined],
  ["is edited once", ["edited", "scaled"], ["a/b", "a/b", "report scaled"], { skipMs: 7 }],
  [
    "whose replicas moved twice",
    ["moved", "moved", "scaled"],
    ["a/b", "a/b", "a/b last", "report scaled"],
    { skipMs: 7 },
  ],
  ["is edited all the time", ["edited", "edited", "edited", "scaled"], ["a/b", "a/b", "a/b last"], undefined],
])("an object that %s", async (_, observed, calls, result) => {
  expect(await run(observed)).toEqual({ calls, result });
});

test("an evaluation whose object is another process's by now is not reported", async () => {
  expect(await run(["scaled", "scaled"], false)).toEqual({ calls: ["a/b"], result: undefined });
});
