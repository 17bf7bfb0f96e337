// Finds the limits that stand behind the first one between a decision and a number of replicas.
import { decide } from "../../decide/decide.ts";
import type { DecideInput, Decision, HpaMemory } from "../../objects/decision.ts";
import type { HpaSpec } from "../../objects/hpa.ts";
import { heldByOf } from "../summary/held-by.ts";
import type { HeldBy } from "../summary/types.ts";
import { desiredOf } from "./earliest.ts";

interface Query {
  readonly input: DecideInput;
  readonly memory: HpaMemory | undefined;
  readonly n: number;
}

/** Each limit is met once at most. */
const maxLimits = 4;

/** Lifts one limit after the other and decides again, until the replicas are `n` or nothing changes: what `say` says of each. */
export function limitsBehind(
  { input, memory, n }: Query,
  first: HeldBy,
  say: (step: HeldBy, input: DecideInput, decision: Decision) => string,
): readonly string[] {
  const seen = new Set([first]);
  const said: string[] = [];
  let [lifted, step] = [input, first];
  while (seen.size <= maxLimits) {
    const patch = withoutLimit.get(step)?.(lifted.hpa.spec, n);
    if (patch === undefined) break;
    lifted = { ...lifted, hpa: { ...lifted.hpa, spec: { ...lifted.hpa.spec, ...patch } } };
    const { decision } = decide(lifted, memory);
    step = heldByOf(decision);
    if (desiredOf({ decision }) === n || seen.has(step)) break;
    seen.add(step);
    said.push(say(step, lifted, decision));
  }
  return said;
}

const anyChange = [{ type: "Pods", value: 1_000_000, periodSeconds: 15 }];

type Lift = (spec: HpaSpec, n: number) => Partial<HpaSpec>;
/** What lifts a limit; for other steps no setting does. */
const withoutLimit: ReadonlyMap<HeldBy, Lift> = new Map<HeldBy, Lift>([
  ["rate", (spec) => onBothSides(spec, { selectPolicy: "Max", policies: anyChange })],
  ["stabilize", (spec) => onBothSides(spec, { stabilizationWindowSeconds: 0 })],
  ["max", ({ maxReplicas }, n) => ({ maxReplicas: Math.max(n, maxReplicas) })],
  ["min", ({ minReplicas = 1 }, n) => ({ minReplicas: Math.min(n, minReplicas) })],
]);

function onBothSides({ behavior }: HpaSpec, rules: object): Partial<HpaSpec> {
  const { scaleUp, scaleDown } = behavior ?? {};
  return { behavior: { scaleUp: { ...scaleUp, ...rules }, scaleDown: { ...scaleDown, ...rules } } };
}
