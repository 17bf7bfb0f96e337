// Reads a pod once, for many evaluations.
import type { PodsReading } from "../../objects/decision.ts";
import type { Pod } from "../../objects/pod.ts";
import { isObject, textOf } from "../../values/fields.ts";
import { CompactPod } from "./compact.ts";
import {
  isBeingDeleted,
  type PodFacts,
  readSpecFacts,
  readStatusFacts,
  readySinceMs,
  type SpecFacts,
  type StatusFacts,
} from "./facts.ts";

/**
 * A pod together with what was read of it. A copy of one, through JSON or a spread, is a plain pod: a private
 * field cannot outlive what it was read from.
 */
class PreparedPod<T extends Pod> implements PodFacts {
  readonly metadata: T["metadata"];
  readonly spec: T["spec"];
  readonly status: T["status"];
  readonly #ofStatus: StatusFacts;
  readonly #ofSpec: SpecFacts;

  constructor({ metadata, spec, status }: T, ofStatus: StatusFacts, ofSpec: SpecFacts) {
    this.metadata = metadata;
    this.spec = spec;
    this.status = status;
    this.#ofStatus = ofStatus;
    this.#ofSpec = ofSpec;
  }

  static isOne(pod: Pod): pod is PreparedPod<Pod> {
    return #ofStatus in pod;
  }

  get name(): string {
    return textOf(this.metadata?.name);
  }

  get isBeingDeleted(): boolean {
    return isBeingDeleted(this.metadata);
  }

  get fate(): PodFacts["fate"] {
    return this.#ofStatus.fate;
  }

  get isRunning(): boolean {
    return this.#ofStatus.isRunning;
  }

  get ready(): string | undefined {
    return this.#ofStatus.ready;
  }

  get startMs(): number | undefined {
    return this.#ofStatus.startMs;
  }

  get readySinceMs(): number {
    return readySinceMs(this.#ofStatus);
  }

  get ofSpec(): SpecFacts {
    return this.#ofSpec;
  }
}

function prepared<T extends Pod>(pod: T): PreparedPod<T> {
  return new PreparedPod(pod, readStatusFacts(pod.status), readSpecFacts(pod.spec));
}

/**
 * A pod that is read once instead of at every evaluation; it replaces the pod wherever one is taken, and
 * decides nothing differently. It must not be changed afterwards: make a new one of the new pod.
 */
export function preparePod<T extends Pod>(pod: T): Pick<T, "metadata" | "spec" | "status"> {
  return prepared(pod);
}

/** `preparePod` for a list; what is not an object is left out. */
export function preparePods<T extends Pod>(
  pods: readonly T[],
): readonly Pick<T, "metadata" | "spec" | "status">[] {
  if (!Array.isArray(pods)) return [];
  return (pods as readonly T[]).filter((pod) => isObject(pod)).map((pod) => preparePod(pod));
}

/** The pods of one evaluation, read when a metric first needs them. */
export type PodList =
  | { readonly ok: true; readonly read: () => readonly PodFacts[] }
  | { readonly ok: false; readonly message: string };

export function listPods(pods: PodsReading | undefined): PodList {
  if (pods?.ok !== true) return { ok: false, message: textOf(pods?.message) };
  return { ok: true, read: podReader(pods.pods) };
}

export function podReader(pods: readonly Pod[]): () => readonly PodFacts[] {
  let facts: readonly PodFacts[] | undefined;
  return () => (facts ??= readAll(pods));
}

function readAll(pods: readonly Pod[]): readonly PodFacts[] {
  const all: PodFacts[] = [];
  if (!Array.isArray(pods)) return all;
  for (const pod of pods as readonly Pod[]) if (isObject(pod)) all.push(factsOf(pod));
  return all;
}

export function factsOf(pod: Pod): PodFacts {
  if (CompactPod.isOne(pod)) return pod;
  return PreparedPod.isOne(pod) ? pod : prepared(pod);
}
