import type { Clock, Reflector, ResourceInfo, Selector } from "@plimsoll/kube";
import type { Logger } from "../logger.ts";
import { groupResourceOf } from "../naming/resource-labels.ts";
import type { Outcome } from "../provider/provider.ts";
import type { ObservedObject } from "./observed-object.ts";
import { createSelections, type Selection, type Selections } from "./selections.ts";

/** Objects of the cluster, out of reflectors that are made for a resource when it is first asked for. */
export interface Objects {
  select(query: SelectQuery): Promise<Outcome<Selection>>;
  get(query: GetQuery): Promise<Outcome<ObservedObject | undefined>>;
  /** Starts watching a resource ahead of the first question. */
  watch(info: ResourceInfo): void;
  stop(): Promise<void>;
}

export interface SelectQuery {
  readonly info: ResourceInfo;
  readonly namespace: string | undefined;
  readonly selector: Selector;
  readonly signal: AbortSignal;
}

export interface GetQuery {
  readonly info: ResourceInfo;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly signal: AbortSignal;
}

export interface ObjectsOptions {
  readonly reflect: (info: ResourceInfo, onError: (error: unknown) => void) => Reflector<ObservedObject>;
  readonly clock: Clock;
  readonly log: Logger;
  /** How long a question waits for a reflector's first list. */
  readonly syncTimeoutMs?: number;
}

interface Watched {
  readonly reflector: Reflector<ObservedObject>;
  readonly selections: Selections;
  lastError: unknown;
}

export function createObjects(options: ObjectsOptions): Objects {
  const { clock, log } = options;
  const syncTimeoutMs = options.syncTimeoutMs ?? 5_000;
  const watched = new Map<string, Watched>();

  const watch = (info: ResourceInfo): Watched => {
    const resource = groupResourceOf(info);
    const known = watched.get(resource);
    if (known !== undefined) return known;
    const onError = (error: unknown): void => {
      entry.lastError = error;
      log.warn({ resource, err: error }, "watching a resource failed");
    };
    const reflector = options.reflect(info, onError);
    const entry: Watched = { reflector, selections: createSelections(reflector), lastError: undefined };
    watched.set(resource, entry);
    entry.reflector.start();
    return entry;
  };

  const synced = async (info: ResourceInfo, signal: AbortSignal): Promise<Outcome<Watched>> => {
    const entry = watch(info);
    if (entry.reflector.isSynced) return { ok: true, value: entry };
    const deadline = new AbortController();
    const cancel = clock.after(syncTimeoutMs, () => deadline.abort());
    try {
      await entry.reflector.synced(AbortSignal.any([signal, deadline.signal]));
      return { ok: true, value: entry };
    } catch (error) {
      if (signal.aborted)
        return { ok: false, failure: { code: "Timeout", message: "the request ended early" } };
      if (!deadline.signal.aborted) throw error;
      const cause = entry.lastError === undefined ? "" : `: ${messageOf(entry.lastError)}`;
      const message = `${groupResourceOf(info)} cannot be listed yet${cause}`;
      return { ok: false, failure: { code: "Unavailable", message, retryAfterSeconds: 1 } };
    } finally {
      cancel();
    }
  };

  return {
    watch: (info) => void watch(info),
    async select({ info, namespace, selector, signal }) {
      const entry = await synced(info, signal);
      return entry.ok ? { ok: true, value: entry.value.selections.select(namespace, selector) } : entry;
    },
    async get({ info, namespace, name, signal }) {
      const entry = await synced(info, signal);
      return entry.ok ? { ok: true, value: entry.value.reflector.store.get(namespace, name) } : entry;
    },
    async stop() {
      await Promise.all([...watched.values()].map(({ reflector }) => reflector.stop()));
    },
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
