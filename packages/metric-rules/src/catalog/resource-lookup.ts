// The cluster's resources, looked up once and answered at once from then on.
import { type Clock, createLimit, steadyNowMs } from "@plimsoll/component-base";
import type { ClusterResource } from "@plimsoll/rules";
import type { ResourceAnswer } from "../compile/compile-rule.ts";

export interface ResourceLookupOptions {
  readonly byResource: (groupResource: string) => Promise<ClusterResource | undefined>;
  readonly clock: Clock;
  readonly onChange: () => void;
}

/** Names that are no resources, or are unknown yet: tenants choose them. */
const maxUnknown = 1_000;
const maxLookups = 4;
/** A resource that the cluster lacks may be installed some day. */
const retryMs = 60_000;

interface Unknown {
  readonly answer: "unknown" | "pending";
  readonly atMs: number;
}

export function createResourceLookup(options: ResourceLookupOptions) {
  const { byResource, clock, onChange } = options;
  /** As many as the cluster has, by the few names that each has. */
  const resources = new Map<string, ClusterResource>();
  const unknown = createUnknown();
  const limit = createLimit(maxLookups);

  const lookUp = async (name: string): Promise<void> => {
    const former = unknown.get(name)?.answer;
    // Others have been asked for since.
    if (former === undefined) return;
    let answer: ResourceAnswer;
    try {
      answer = (await byResource(name)) ?? "unknown";
    } catch {
      // The mapper logs why.
      answer = former;
    }
    if (typeof answer === "string") unknown.set(name, { answer, atMs: steadyNowMs(clock) });
    else {
      unknown.delete(name);
      resources.set(name, answer);
    }
    if (answer !== former) onChange();
  };

  return {
    /** `pending` until the cluster was asked; `onChange` follows then. */
    get(name: string): ResourceAnswer {
      const resource = resources.get(name);
      if (resource !== undefined) return resource;
      const found = unknown.get(name);
      const nowMs = steadyNowMs(clock);
      const isRecent = found !== undefined && nowMs - found.atMs < retryMs;
      const answer = found?.answer ?? "pending";
      unknown.set(name, { answer, atMs: isRecent ? found.atMs : nowMs });
      if (!isRecent) void limit(() => lookUp(name));
      return answer;
    },
  };
}

/** Those that were asked for last: the names of one tenant keep no other tenant's out. */
function createUnknown(): Pick<Map<string, Unknown>, "get" | "delete"> & {
  set(name: string, entry: Unknown): void;
} {
  const entries = new Map<string, Unknown>();
  return {
    get: (name) => entries.get(name),
    delete: (name) => entries.delete(name),
    set(name, entry) {
      entries.delete(name);
      entries.set(name, entry);
      const [oldest] = entries.size > maxUnknown ? entries.keys() : [];
      if (oldest !== undefined) entries.delete(oldest);
    },
  };
}
