import type { Clock, KubeObject, Reflector, ResourceInfo, Selector } from "@plimsoll/kube";
import type { Logger } from "../logger.ts";
import { groupResourceOf } from "../naming/resource-labels.ts";
import type { Outcome } from "../provider/provider.ts";

/** All that is kept of an object. */
export interface ObservedObject extends KubeObject {
  /** Pods only. */
  readonly phase: string | undefined;
}

/** Objects of the cluster, out of reflectors that are made for a resource when it is first asked for. */
export interface Objects {
  select(query: SelectQuery): Promise<Outcome<readonly ObservedObject[]>>;
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
    const entry: Watched = { reflector: options.reflect(info, onError), lastError: undefined };
    watched.set(resource, entry);
    entry.reflector.start();
    return entry;
  };

  const synced = async (
    info: ResourceInfo,
    signal: AbortSignal,
  ): Promise<Outcome<Reflector<ObservedObject>>> => {
    const entry = watch(info);
    if (entry.reflector.isSynced) return { ok: true, value: entry.reflector };
    const deadline = new AbortController();
    const cancel = clock.after(syncTimeoutMs, () => deadline.abort());
    try {
      await entry.reflector.synced(AbortSignal.any([signal, deadline.signal]));
      return { ok: true, value: entry.reflector };
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
      const reflector = await synced(info, signal);
      return reflector.ok
        ? { ok: true, value: reflector.value.store.select(namespace, selector) }
        : reflector;
    },
    async get({ info, namespace, name, signal }) {
      const reflector = await synced(info, signal);
      return reflector.ok ? { ok: true, value: reflector.value.store.get(namespace, name) } : reflector;
    },
    async stop() {
      await Promise.all([...watched.values()].map(({ reflector }) => reflector.stop()));
    },
  };
}

/** Cuts an object down on arrival: names and labels select, a pod's phase says whether it runs. */
export function projectObject(raw: KubeObject): ObservedObject {
  const { name, namespace, uid, labels, resourceVersion } = raw.metadata;
  const status: unknown = "status" in raw ? raw.status : undefined;
  const phase: unknown =
    typeof status === "object" && status !== null && "phase" in status ? status.phase : undefined;
  return {
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(labels === undefined ? {} : { labels }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    phase: typeof phase === "string" ? phase : undefined,
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
