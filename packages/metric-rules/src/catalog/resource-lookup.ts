// The cluster's resources, looked up once and answered at once from then on.
import { type Clock, createLimit, steadyNowMs } from "@plimsoll/component-base";
import type { ClusterResource } from "@plimsoll/rules";
import type { ResourceAnswer } from "../compile/compile-rule.ts";

export interface ResourceLookup {
  /** `pending` until the cluster was asked; `onChange` follows then. */
  get(groupResource: string): ResourceAnswer;
}

export interface ResourceLookupOptions {
  readonly byResource: (groupResource: string) => Promise<ClusterResource | undefined>;
  readonly clock: Clock;
  readonly onChange: () => void;
}

/** Tenants choose the names. */
const maxNames = 1_000;
const maxLookups = 4;
/** A resource that the cluster lacks may be installed some day. */
const retryMs = 60_000;

interface Looked {
  readonly answer: ResourceAnswer;
  readonly atMs: number;
}

export function createResourceLookup(options: ResourceLookupOptions): ResourceLookup {
  const { byResource, clock, onChange } = options;
  const known = new Map<string, Looked>();
  const limit = createLimit(maxLookups);

  const lookUp = async (name: string): Promise<void> => {
    const former = known.get(name)?.answer;
    let answer: ResourceAnswer;
    try {
      answer = (await byResource(name)) ?? "unknown";
    } catch {
      // The mapper logs why.
      answer = former ?? "pending";
    }
    known.set(name, { answer, atMs: steadyNowMs(clock) });
    if (answer !== former) onChange();
  };

  return {
    get(name) {
      const found = known.get(name);
      const isFinal = found !== undefined && typeof found.answer !== "string";
      if (isFinal) return found.answer;
      if (found !== undefined && steadyNowMs(clock) - found.atMs < retryMs) return found.answer;
      if (found === undefined && known.size >= maxNames) return "unknown";
      const answer = found?.answer ?? "pending";
      known.set(name, { answer, atMs: steadyNowMs(clock) });
      void limit(() => lookUp(name));
      return answer;
    },
  };
}
