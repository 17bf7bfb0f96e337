// Reads which metrics the MetricRules of one namespace define, while the list of all of them is unknown.
import {
  type Awaitable,
  type Clock,
  createBoundedCache,
  createLimit,
  getOrAdd,
  steadyNowMs,
  withDeadline,
} from "@plimsoll/component-base";
import { group } from "@plimsoll/core/internal/objects";
import { type KubeClient, type KubeObject, resourcePath } from "@plimsoll/kube";
import { resource, version } from "../kind/kind.ts";
import { readSpec } from "../kind/read-spec.ts";

/** Whether a rule of the namespace may define a metric; "unknown" if its rules cannot be read. */
export type MayDefine = boolean | "unknown";

/** A request waits only for the rules of its namespace. */
export type NamespaceNames = ReturnType<typeof createNamespaceNames>;

interface Read {
  /** Undefined: they could not be read. */
  readonly metrics: ReadonlySet<string> | undefined;
  /** There are more rules than we read: any metric may be theirs. */
  readonly hasMore: boolean;
  readonly atMs: number;
}

/** An object may have 1.5 MiB, and four pages are read at a time. */
const pageSize = 5;
/** Four times as many rules as a namespace may have by default. */
const maxPages = 40;
const maxReads = 4;
const readMs = 2_000;
const repeatMs = 30_000;
const repeatFailedMs = 5_000;
const forgetMs = 600_000;

export function createNamespaceNames({
  client,
  clock,
}: {
  readonly client: KubeClient;
  readonly clock: Clock;
}) {
  const limit = createLimit(maxReads);
  const found = createBoundedCache<Read>({
    name: "namespace-names",
    maxBytes: 4 * 1024 * 1024,
    sizeOf,
    ttlMs: forgetMs,
    nowMs: () => clock.nowMs(),
    after: clock.afterIdle ?? clock.after,
  });
  const running = new Map<string, Promise<void>>();

  const read = async (namespace: string): Promise<void> => {
    let names: Omit<Read, "atMs">;
    try {
      names = await withDeadline(clock, readMs, (signal) =>
        limit(() => readNames(client, namespace, signal)),
      );
    } catch {
      // The watch of all namespaces logs why MetricRules cannot be read.
      names = { metrics: undefined, hasMore: false };
    }
    found.set(namespace, { ...names, atMs: steadyNowMs(clock) });
    running.delete(namespace);
  };
  const readOnce = (namespace: string): Promise<void> => getOrAdd(running, namespace, () => read(namespace));
  const isOld = ({ metrics, atMs }: Read): boolean =>
    steadyNowMs(clock) - atMs >= (metrics === undefined ? repeatFailedMs : repeatMs);

  return {
    /** Waits for two seconds at most. */
    mayDefine(namespace: string, metric: string): Awaitable<MayDefine> {
      const last = found.get(namespace);
      if (last !== undefined && !isOld(last)) return mayDefine(last, metric);
      return readOnce(namespace).then(() => mayDefine(found.get(namespace), metric) ?? "unknown");
    },
    /** According to the last read, which this repeats if it is old; undefined before the first one. */
    known(namespace: string, metric: string): MayDefine | undefined {
      const last = found.get(namespace);
      if (last === undefined || isOld(last)) void readOnce(namespace);
      return mayDefine(last, metric);
    },
  };
}

function mayDefine(read: Read, metric: string): MayDefine;
function mayDefine(read: Read | undefined, metric: string): MayDefine | undefined;
function mayDefine(read: Read | undefined, metric: string): MayDefine | undefined {
  if (read === undefined) return undefined;
  return read.metrics === undefined ? "unknown" : read.hasMore || read.metrics.has(metric);
}

interface Page {
  readonly metadata?: { readonly continue?: string };
  readonly items?: readonly KubeObject[] | null;
}

async function readNames(
  client: KubeClient,
  namespace: string,
  signal: AbortSignal,
): Promise<Omit<Read, "atMs">> {
  const path = resourcePath({ group, version, resource }, namespace);
  const metrics = new Set<string>();
  let token: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    signal.throwIfAborted();
    const query = { limit: pageSize, continue: token };
    const { metadata, items } = await client.request<Page>({ path, query, signal });
    for (const item of items ?? []) {
      const read = readSpec(item);
      if (read.ok) metrics.add(read.spec.metric);
    }
    token = metadata?.continue || undefined;
    if (token === undefined) return { metrics, hasMore: false };
  }
  return { metrics, hasMore: true };
}

function sizeOf({ metrics }: Read): number {
  let bytes = 0;
  for (const metric of metrics ?? []) bytes += 64 + 2 * metric.length;
  return bytes;
}
