// A way to the decisions endpoint: a client, and where the paths begin.
import type { KubeClient } from "@plimsoll/kube";

export const wayNames = ["apiservice", "port-forward", "server"] as const;
export type WayName = (typeof wayNames)[number];

export interface Way {
  readonly name: WayName;
  readonly client: KubeClient;
  /** Of summaries and decisions. */
  readonly base: string;
  readonly shadowPath: string;
  /** Ends its own connections; those of the cluster stay. */
  readonly close: () => Promise<void>;
}

/** A way, or why there is none. */
export type WayResult =
  | { readonly ok: true; readonly way: Way }
  | { readonly ok: false; readonly reason: string };

export function noWay(reason: string): WayResult {
  return { ok: false, reason };
}

const ownBase = "/apis/decisions/v1";

/** The paths of the autoscaler itself. */
export const ownPaths = { base: ownBase, shadowPath: "/apis/shadow/v1" } as const;

export const endpointGroup = "explain.plimsoll.dev";

/** The paths below the group that an APIService registers. */
export const groupPaths = {
  base: `/apis/${endpointGroup}/v1`,
  shadowPath: `/apis/${endpointGroup}/v1/shadow`,
} as const;
