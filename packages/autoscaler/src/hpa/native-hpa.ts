import type { HorizontalPodAutoscaler, StoredHpaCondition } from "@plimsoll/core";
import type { KubeObject } from "@plimsoll/kube";
import { createInterner } from "../intern.ts";
import type { WlaExtras } from "../wla/workload-autoscaler.ts";
import { type FieldWriter, statusWriterOf } from "./field-writer.ts";

/** The collection that native HPAs live in. */
export const hpaResource = {
  group: "autoscaling",
  version: "v2",
  resource: "horizontalpodautoscalers",
} as const;

/** A stored autoscaling/v2 HPA: whole but for managedFields, because a status write sends all of it back. */
export interface NativeHpa extends KubeObject, Pick<HorizontalPodAutoscaler, "spec" | "status"> {
  /** What is kept of managedFields; never sent back. */
  readonly statusWriter?: FieldWriter;
  /** Present on a WorkloadAutoscaler, which has the same spec and status, and more. */
  readonly wla?: WlaExtras;
}

const mostShared = 20_000;

/** `projectHpa` for thousands of objects, which mostly say the same in their conditions. */
export function createHpaProjection(): (raw: KubeObject) => NativeHpa {
  const { text } = createInterner(mostShared);
  return (raw) => {
    const hpa = projectHpa(raw);
    const { status } = hpa;
    if (status === undefined || !Array.isArray(status.conditions)) return hpa;
    const conditions = (status.conditions as readonly StoredHpaCondition[]).map((condition) => {
      const shared: Record<string, unknown> = { ...condition };
      for (const [key, value] of Object.entries(shared))
        if (typeof value === "string") shared[key] = text(value);
      return shared as unknown as StoredHpaCondition;
    });
    return { ...hpa, status: { ...status, conditions } };
  };
}

/** Keeps what is needed of an HPA as the API server sent it. */
export function projectHpa(raw: KubeObject): NativeHpa {
  const { managedFields: _, ...metadata } = raw.metadata as KubeObject["metadata"] & {
    managedFields?: unknown;
  };
  const object = raw as NativeHpa;
  const statusWriter = statusWriterOf(raw);
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata,
    // An object without a spec cannot come from a real API server; it must not stop the loop either.
    spec: object.spec ?? { scaleTargetRef: { kind: "", name: "" }, maxReplicas: 0 },
    ...(object.status === undefined ? {} : { status: object.status }),
    ...(statusWriter === undefined ? {} : { statusWriter }),
  };
}

export function namespaceOf(hpa: NativeHpa): string {
  return hpa.metadata.namespace ?? "default";
}

/** No name of an API object has a colon. */
export const wlaPrefix = "wla:";

/** How an object is named in logs, maps and messages: "namespace/name", a WorkloadAutoscaler "namespace/wla:name". */
export function keyOf(hpa: NativeHpa): string {
  return `${namespaceOf(hpa)}/${hpa.wla === undefined ? "" : wlaPrefix}${hpa.metadata.name}`;
}

export function isWlaKey(key: string): boolean {
  return key.includes(`/${wlaPrefix}`);
}

export function splitKey(key: string): { readonly namespace: string; readonly name: string } {
  const slash = key.indexOf("/");
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** Whether one resourceVersion is certainly older than the other. */
export function isOlder(one: string | undefined, other: string | undefined): boolean {
  const digits = /^\d+$/;
  if (one === undefined || other === undefined || !digits.test(one) || !digits.test(other)) return false;
  return BigInt(one) < BigInt(other);
}
