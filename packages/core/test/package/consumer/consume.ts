import { type DecideInput, type Decision, decide, explain, type HpaMemory } from "@plimsoll/core";
import { defaultHpa, validateHpa } from "@plimsoll/core/api";
import { compareQuantity, parseQuantity, type Quantity, QuantityError } from "@plimsoll/core/quantity";
import { proposeReplicas } from "@plimsoll/core/steps";

declare const input: DecideInput;
let memory: HpaMemory | undefined;
const result = decide(input, memory);
memory = result.memory;
const decision: Decision = result.decision;
export const scaleTo: number | undefined = decision.scaleTo;
export const words: string = explain(decision, "markdown");
export const problems: readonly { path: string; message: string }[] = validateHpa(defaultHpa(input.hpa));
export const kinds: readonly string[] = decision.trace.map((step) => step.kind);

const quantity: Quantity = parseQuantity("1Gi");
export const order: number = compareQuantity(quantity, parseQuantity("1G"));
export const isQuantityError = (error: unknown): boolean => error instanceof QuantityError;

const proposal = proposeReplicas({
  nowMs: 0,
  metric: { type: "External", external: { metric: { name: "q" }, target: { type: "Value", value: "1" } } },
  specReplicas: 1,
  statusReplicas: 1,
  pods: [],
  samples: { values: [{ value: "2" }] },
});
export const replicas: number = proposal.ok ? proposal.replicas : 0;

// @ts-expect-error an evaluation without a clock
decide({ hpa: input.hpa, scale: input.scale, pods: input.pods, samples: [] });
