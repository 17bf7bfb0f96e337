// Proposals of one metric, with what most tests have in common.

import { type ProposeInput, proposeReplicas } from "../src/decide/steps/index.ts";
import type { Pod } from "../src/index.ts";
import { nowMs, readyPod } from "./fixtures.ts";

const base = { nowMs, specReplicas: 3, statusReplicas: 3, namespace: "shop" };

export function propose(input: Omit<ProposeInput, keyof typeof base> & Partial<typeof base>) {
  return proposeReplicas({ ...base, ...input });
}

export function replicasOf(input: Parameters<typeof propose>[0]): number | string {
  const proposal = propose(input);
  return proposal.ok ? proposal.replicas : proposal.message;
}

export function pendingPod(name: string): Pod {
  return { ...readyPod(name), status: { phase: "Pending" } };
}
