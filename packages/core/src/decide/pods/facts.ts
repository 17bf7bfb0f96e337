import type { Container, Pod, PodCondition, PodSpec, PodStatus } from "../../objects/pod.ts";
import { textOf } from "../../values/fields.ts";
import type { Int64 } from "../../values/number/int64.ts";
import { instantMs, instantOrZeroMs, type Timestamp, zeroTimeMs } from "../../values/time/rfc3339.ts";

/** What the math reads of a pod, read once. */
export interface PodFacts extends Omit<StatusFacts, "readySince"> {
  readonly name: string;
  readonly isBeingDeleted: boolean;
  /** Since when the Ready condition is what it is. */
  readonly readySinceMs: number;
  /** The same for all pods that share a specification. */
  readonly ofSpec: SpecFacts;
}

/** Of a status. */
export interface StatusFacts {
  /** Set where no sample can change how the pod counts; of a pod that succeeded, in some releases. */
  readonly fate: "failed" | "succeeded" | "pending" | undefined;
  readonly isRunning: boolean;
  /** Status of the Ready condition. */
  readonly ready: string | undefined;
  readonly startMs: number | undefined;
  /** What few evaluations need is read at its first use, which changes no result. */
  readySince: Timestamp | number | undefined;
}

/** Of a specification, read once. */
export interface SpecFacts {
  readonly spec: PodSpec | undefined;
  readonly hasPodLevelRequests: boolean;
  /** Read at the first use; an error is not kept, because it names the pod. */
  cpu: Int64 | undefined;
  memory: Int64 | undefined;
  /** They were read with `saturatesQuantities`. */
  saturates: boolean;
}

export function readStatusFacts(status: PodStatus | undefined): StatusFacts {
  const phase = status?.phase;
  const ready = readyCondition(status?.conditions);
  const readySince = ready?.lastTransitionTime;
  return {
    fate: fateOf(phase),
    isRunning: phase === "Running",
    ready: ready === undefined ? undefined : textOf(ready.status),
    startMs: instantMs(status?.startTime),
    readySince: typeof readySince === "number" ? zeroTimeMs : readySince,
  };
}

export function readySinceMs(facts: StatusFacts): number {
  if (typeof facts.readySince !== "number") facts.readySince = instantOrZeroMs(facts.readySince);
  return facts.readySince;
}

export function readSpecFacts(spec: PodSpec | undefined): SpecFacts {
  return {
    spec,
    hasPodLevelRequests: hasPodLevelRequests(spec),
    cpu: undefined,
    memory: undefined,
    saturates: false,
  };
}

export function isBeingDeleted(metadata: Pod["metadata"] | undefined): boolean {
  const deletion = metadata?.deletionTimestamp;
  return deletion !== undefined && deletion !== null;
}

export function fateOf(phase: string | undefined): StatusFacts["fate"] {
  if (phase === "Failed") return "failed";
  if (phase === "Succeeded") return "succeeded";
  return phase === "Pending" ? "pending" : undefined;
}

/** The first condition of type Ready. */
function readyCondition(conditions: readonly PodCondition[] | undefined): PodCondition | undefined {
  if (!Array.isArray(conditions)) return undefined;
  for (const condition of conditions as readonly PodCondition[]) {
    if (condition?.type === "Ready") return condition;
  }
  return undefined;
}

/** @upstream component-helpers/resource/helpers.go#IsPodLevelRequestsSet */
function hasPodLevelRequests(spec: PodSpec | undefined): boolean {
  const requests = spec?.resources?.requests;
  if (typeof requests !== "object" || requests === null) return false;
  return Object.keys(requests).some(isPodLevelResource);
}

export function isPodLevelResource(name: string): boolean {
  return name === "cpu" || name === "memory" || name.startsWith("hugepages-");
}

const none: readonly Container[] = [];

export function containersOf(list: readonly Container[] | undefined): readonly Container[] {
  return Array.isArray(list) ? (list as readonly Container[]) : none;
}
