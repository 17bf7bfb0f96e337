// What invariants read of a decision.
import { wlaDefinition } from "@plimsoll/core/internal/objects";
import type { StoredObject } from "@plimsoll/sandbox";
import type { Observed, World } from "../run/world.ts";
import { hpaResource, keyOfObject, type TargetKey } from "./names.ts";

export type Decided = Observed<"decided">;

/** The object that was decided on. */
export function keyOfDecided({ input }: Decided): string {
  const { kind, metadata } = input.hpa;
  return keyOfObject(kind ?? "", metadata?.namespace ?? "default", metadata?.name ?? "");
}

/** That object as it is stored; undefined once it is gone, also if another one has its name. */
export function storedOfDecided(
  { cluster }: Pick<World, "cluster">,
  decided: Decided,
): StoredObject | undefined {
  const { kind, metadata: { namespace = "default", name = "" } = {} } = decided.input.hpa;
  const resource = kind === "WorkloadAutoscaler" ? wlaDefinition : hpaResource;
  const stored = cluster.store.get(resource, namespace, name);
  return stored?.metadata.uid === uidOfDecided(decided) ? stored : undefined;
}

export function uidOfDecided({ input }: Decided): string {
  return input.hpa.metadata?.uid ?? "";
}

export function targetOfDecided({ input }: Decided): TargetKey {
  const { kind, name } = input.hpa.spec.scaleTargetRef;
  return `${input.hpa.metadata?.namespace ?? "default"}/${kind}/${name}`;
}

/** Whether it is to be carried out. */
export function isActive({ input }: Decided): boolean {
  return input.mode === undefined || input.mode === "Active";
}

/** Whether the target is brought back between its bounds, or moved by a schedule: metrics have no say in that. */
export function isByBounds({ result }: Decided): boolean {
  return result.decision.trace.some(({ kind }) => kind === "bounds");
}

/** Remembers who decided last about which target. */
export function createLastDecided(): {
  readonly see: (decided: Decided) => void;
  /** The last decision of a process about a target that is to be carried out with these replicas. */
  readonly of: (process: string, target: TargetKey) => Decided | undefined;
} {
  const last = new Map<string, Decided>();
  return {
    see(decided) {
      if (!isActive(decided) || decided.result.decision.scaleTo === undefined) return;
      last.set(`${decided.process} ${targetOfDecided(decided)}`, decided);
    },
    of: (process, target) => last.get(`${process} ${target}`),
  };
}
