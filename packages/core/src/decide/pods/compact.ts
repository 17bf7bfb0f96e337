// Pods in little memory, for those who keep all pods of a cluster.
import type { Pod, PodCondition, PodSpec, PodStatus } from "../../objects/pod.ts";
import { isObject, textOf } from "../../values/fields.ts";
import { formatInstant, instantMs, zeroTimeMs } from "../../values/time/rfc3339.ts";
import { fateOf, isBeingDeleted, type PodFacts, readSpecFacts, type SpecFacts } from "./facts.ts";

const phases = ["Pending", "Running", "Succeeded", "Failed", "Unknown"] as const;
const statuses = ["True", "False", "Unknown"] as const;

/** A status in numbers; both instants are whole seconds. */
interface Numbers {
  readonly phase: number;
  readonly ready: number;
  readonly startSeconds: number;
  readonly readySeconds: number;
}

/**
 * A prepared pod whose status is three numbers, from which it is made for whoever reads it. Its JSON is the pod's; a copy by
 * a spread lacks the status.
 */
export class CompactPod<T extends Pod> implements PodFacts {
  readonly metadata: T["metadata"];
  readonly spec: T["spec"];
  readonly #ofSpec: SpecFacts;
  /** Phase and status of Ready, as indices. */
  readonly #state: number;
  readonly #startSeconds: number;
  readonly #readySeconds: number;

  constructor({ metadata, spec }: T, numbers: Numbers, ofSpec: SpecFacts) {
    this.metadata = metadata;
    this.spec = spec;
    this.#ofSpec = ofSpec;
    this.#state = (numbers.phase << 2) | numbers.ready;
    this.#startSeconds = numbers.startSeconds;
    this.#readySeconds = numbers.readySeconds;
  }

  static isOne(pod: Pod): pod is CompactPod<Pod> {
    return #state in pod;
  }

  get status(): T["status"] {
    return statusOf({
      phase: this.#state >> 2,
      ready: this.#state & 3,
      startSeconds: this.#startSeconds,
      readySeconds: this.#readySeconds,
    });
  }

  toJSON(): Pod {
    const { metadata, spec, status } = this;
    return { metadata, spec, status };
  }

  get name(): string {
    return textOf(this.metadata?.name);
  }

  get isBeingDeleted(): boolean {
    return isBeingDeleted(this.metadata);
  }

  get ofSpec(): SpecFacts {
    return this.#ofSpec;
  }

  get fate(): PodFacts["fate"] {
    return fateOf(phases[this.#state >> 2]);
  }

  get isRunning(): boolean {
    return this.#state >> 2 === running;
  }

  get ready(): string {
    return statuses[this.#state & 3] ?? "";
  }

  get startMs(): number {
    return this.#startSeconds * 1000;
  }

  get readySinceMs(): number {
    return this.#readySeconds * 1000;
  }
}

const running = phases.indexOf("Running");

function statusOf({ phase, ready, startSeconds, readySeconds }: Numbers): PodStatus {
  const lastTransitionTime = formatInstant(readySeconds * 1000);
  return {
    phase: phases[phase] ?? "",
    startTime: formatInstant(startSeconds * 1000),
    conditions: [{ type: "Ready", status: statuses[ready] ?? "", lastTransitionTime }],
  };
}

/**
 * Prepares pods to keep: those whose status is a phase, a start time and a Ready condition, as nearly all are when they are cut down to
 * what the math reads. Undefined for any other; `preparePod` takes it. Facts of a specification are kept once for all pods that
 * share the object.
 */
export function createPodCompactor(): <T extends Pod>(
  pod: T,
) => Pick<T, "metadata" | "spec" | "status"> | undefined {
  const known = new WeakMap<object, SpecFacts>();
  function specFacts(spec: PodSpec): SpecFacts {
    const found = known.get(spec);
    if (found !== undefined) return found;
    const facts = readSpecFacts(spec);
    known.set(spec, facts);
    return facts;
  }
  return (pod) => {
    const { spec, status } = pod;
    if (!isObject(spec) || !isObject(status)) return undefined;
    const numbers = numbersOf(status);
    return numbers === undefined ? undefined : new CompactPod(pod, numbers, specFacts(spec));
  };
}

/** Undefined where they do not give the very same status. */
function numbersOf(status: PodStatus): Numbers | undefined {
  const [condition] = Array.isArray(status.conditions) ? (status.conditions as readonly PodCondition[]) : [];
  const numbers = {
    phase: phases.indexOf(status.phase as (typeof phases)[number]),
    ready: statuses.indexOf(condition?.status as (typeof statuses)[number]),
    startSeconds: secondsOf(status.startTime),
    readySeconds: secondsOf(condition?.lastTransitionTime),
  };
  if (Object.values(numbers).some((number) => number < 0)) return undefined;
  return JSON.stringify(statusOf(numbers)) === JSON.stringify(status) ? numbers : undefined;
}

/** Since 1970; negative for what is not a time. */
function secondsOf(time: unknown): number {
  if (typeof time !== "string") return -1;
  const ms = instantMs(time);
  return ms === undefined || ms === zeroTimeMs ? -1 : Math.floor(ms / 1000);
}
