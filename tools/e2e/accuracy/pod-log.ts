// The lives of pods, from what is written about them.

import type { RecordedPod } from "@plimsoll/backtest";
import type { StoreEvent } from "@plimsoll/sandbox";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type OwnPod = Mutable<Omit<RecordedPod, "ready">> & { ready: { fromMs: number; toMs?: number }[] };

interface PodStatus {
  readonly phase?: string;
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}

interface PodSpec {
  readonly containers?: readonly {
    readonly name: string;
    readonly resources?: { readonly requests?: Readonly<Record<string, string>> };
  }[];
}

/** Pods in the order of their creation. */
export interface PodLog {
  readonly pods: readonly RecordedPod[];
  observe(event: Pick<StoreEvent, "type" | "object">, atMs: number): void;
}

/** No pods yet. */
export function createPodLog(): PodLog {
  const pods: OwnPod[] = [];
  const byName = new Map<string, OwnPod>();
  return {
    pods,
    observe({ object }, atMs) {
      const { name, deletionTimestamp } = object.metadata;
      const known = byName.get(name);
      const pod = known ?? newPod(name, object["spec"] as PodSpec, atMs);
      if (known === undefined) {
        byName.set(name, pod);
        pods.push(pod);
      }
      const { phase, conditions = [] } = (object["status"] ?? {}) as PodStatus;
      if (phase === "Running") pod.runningMs ??= atMs;
      if (deletionTimestamp !== undefined) pod.deletedMs ??= atMs;
      const isReady = conditions.some(({ type, status }) => type === "Ready" && status === "True");
      const open = pod.ready.at(-1);
      const isOpen = open !== undefined && open.toMs === undefined;
      if (isReady && !isOpen) pod.ready.push({ fromMs: atMs });
      if (!isReady && isOpen && pod.deletedMs === undefined) open.toMs = atMs;
    },
  };
}

function newPod(name: string, { containers = [] }: PodSpec, atMs: number): OwnPod {
  const requests = Object.fromEntries(
    containers.map((one) => [one.name, one.resources?.requests ?? {}] as const),
  );
  return { name, createdMs: atMs, startedMs: atMs, ready: [], requests, uncertaintyMs: 0 };
}
