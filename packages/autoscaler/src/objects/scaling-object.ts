// The objects that are evaluated: native HPAs and WorkloadAutoscalers, as one tagged union.
import { isDeepStrictEqual } from "node:util";
import { createInterner } from "@plimsoll/component-base";
import type { HorizontalPodAutoscaler, StoredHpaCondition } from "@plimsoll/core";
import type { KubeObject } from "@plimsoll/kube";
import { type FieldWriter, statusWriterOf } from "./field-writer.ts";
import type { WlaExtras } from "./wla-extras.ts";

/** The collection that native HPAs live in. */
export const hpaResource = {
  group: "autoscaling",
  version: "v2",
  resource: "horizontalpodautoscalers",
} as const;

/** An object that scales a target; its `kind`, as in the API, distinguishes the two. */
export type ScalingObject = StoredHpa | StoredWla;

/** A stored autoscaling/v2 HPA: whole but for managedFields, because a status write sends all of it back. */
export interface StoredHpa extends StoredObject {
  readonly kind: "HorizontalPodAutoscaler";
}

/** A stored WorkloadAutoscaler: an HPA's spec and status, and what it has beyond an HPA. */
export interface StoredWla extends StoredObject {
  readonly kind: "WorkloadAutoscaler";
  readonly wla: WlaExtras;
}

interface StoredObject extends KubeObject, Pick<HorizontalPodAutoscaler, "spec" | "status"> {
  /** What is kept of managedFields; never sent back. */
  readonly statusWriter?: FieldWriter;
}

const maxShared = 20_000;

/**
 * `projectHpa` for thousands of objects, which mostly say the same in their conditions. `knownOf`: the object as it was
 * before, whose specification it shares where that has not changed, as with each write of a status.
 */
export function createHpaProjection(
  knownOf: (namespace: string, name: string) => ScalingObject | undefined,
): (raw: KubeObject) => StoredHpa {
  const interner = createInterner(maxShared);
  return (raw) => {
    const read = projectHpa(raw);
    const known = knownOf(namespaceOf(read), read.metadata.name);
    const hpa =
      known !== undefined && isDeepStrictEqual(known.spec, read.spec) ? { ...read, spec: known.spec } : read;
    const { status } = hpa;
    if (status === undefined || !Array.isArray(status.conditions)) return hpa;
    const conditions = (status.conditions as readonly StoredHpaCondition[]).map((condition) => {
      const shared: Record<string, unknown> = { ...condition };
      for (const [key, value] of Object.entries(shared))
        if (typeof value === "string") shared[key] = interner.string(value);
      return shared as unknown as StoredHpaCondition;
    });
    return { ...hpa, status: { ...status, conditions } };
  };
}

/** Keeps what is needed of an HPA as the API server sent it. */
export function projectHpa(raw: KubeObject): StoredHpa {
  const { spec } = raw as Partial<StoredHpa>;
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    ...besidesSpec(raw),
    // An object without a spec cannot come from a real API server; it must not stop the loop either.
    spec: spec ?? { scaleTargetRef: { kind: "", name: "" }, maxReplicas: 0 },
  };
}

/** What is kept of an object of either kind, besides its specification. */
export function besidesSpec(raw: KubeObject): Pick<ScalingObject, "metadata" | "status" | "statusWriter"> {
  const { managedFields: _, ...metadata } = raw.metadata as KubeObject["metadata"] & {
    managedFields?: unknown;
  };
  const { status } = raw as Partial<StoredObject>;
  const statusWriter = statusWriterOf(raw);
  return {
    metadata,
    ...(status === undefined ? {} : { status }),
    ...(statusWriter === undefined ? {} : { statusWriter }),
  };
}

export function namespaceOf(object: Pick<KubeObject, "metadata">): string {
  return object.metadata.namespace ?? "default";
}

/** No name of an API object has a colon. */
export const wlaPrefix = "wla:";

/** How an object is named in logs, maps and messages: "namespace/name", a WorkloadAutoscaler "namespace/wla:name". */
export function keyOf(object: ScalingObject): string {
  return keyOfName(object.kind, namespaceOf(object), object.metadata.name);
}

export function keyOfName(kind: ScalingObject["kind"], namespace: string, name: string): string {
  return `${namespace}/${kind === "WorkloadAutoscaler" ? wlaPrefix : ""}${name}`;
}

/** Whether two states of one object have the same specification. HPAs have no generation that counts edits. */
export function isSameSpec(one: ScalingObject, other: ScalingObject): boolean {
  return one === other || isDeepStrictEqual(storedSpecOf(one), storedSpecOf(other));
}

/** The specification as the API server has it. */
export function storedSpecOf(object: ScalingObject): unknown {
  return wlaOf(object)?.storedSpec ?? object.spec;
}

/** What a WorkloadAutoscaler has beyond an HPA; undefined for an HPA. */
export function wlaOf(object: ScalingObject): WlaExtras | undefined {
  return object.kind === "WorkloadAutoscaler" ? object.wla : undefined;
}

/** Whether a WorkloadAutoscaler moves the bounds of an HPA, instead of scaling something itself. */
export function isBoundsWla({ kind, spec }: ScalingObject): boolean {
  return kind === "WorkloadAutoscaler" && spec.scaleTargetRef.kind === "HorizontalPodAutoscaler";
}

/** Its own sync period; undefined: the period of the process. */
export function periodOf(object: ScalingObject): number | undefined {
  return wlaOf(object)?.tuning.syncPeriodMs;
}

export function isWlaKey(key: string): boolean {
  return key.includes(`/${wlaPrefix}`);
}

export function splitKey(key: string): { readonly namespace: string; readonly name: string } {
  const slash = key.indexOf("/");
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** What series of an object are labeled with; the key itself is ours. */
export function labelsOfKey(key: string): Readonly<Record<"namespace" | "hpa_name" | "kind", string>> {
  const { namespace, name } = splitKey(key);
  return isWlaKey(key)
    ? { namespace, hpa_name: name.slice(wlaPrefix.length), kind: "WorkloadAutoscaler" }
    : { namespace, hpa_name: name, kind: "HorizontalPodAutoscaler" };
}
