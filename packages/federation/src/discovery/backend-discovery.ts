// What one backend lists, read in the background again and again, and kept while it is down.
import { backoffMs, type Clock, type Logger } from "@plimsoll/component-base";
import type { Backend } from "../backend/backend.ts";
import { type FederatedGroup, federatedVersions } from "../config/federation-config.ts";
import { listedName, type MetricTarget } from "../directory/metric-request.ts";
import { type ListedNames, readResourceList } from "./read-list.ts";

/** What is known of the list of a backend. */
export interface BackendDiscovery {
  /** Undefined while that is not known, or no longer. */
  lists(request: Pick<MetricTarget, "group" | "resource" | "metric">): boolean | undefined;
  /** The same object until the list changes. */
  names(group: FederatedGroup): ListedNames;
  /** Why the last reading failed; undefined when it did not. */
  problem(): string | undefined;
  /** Of the last reading that did not fail; undefined when there was none. */
  readAtMs(): number | undefined;
  /** Resolves when the list was read, or could not be, for the first time. */
  start(): Promise<void>;
  stop(): void;
}

/** The seams of a reading. */
export interface DiscoveryOptions {
  readonly backend: Pick<Backend, "config" | "read">;
  /** For how long the last list is used while the backend is down. */
  readonly maxAgeMs: number;
  readonly clock: Clock;
  readonly log: Logger;
  /** 0 ≤ x < 1: replicas that started together do not read together. */
  readonly random: () => number;
}

/** kube-apiserver reads ours about as often. */
const intervalMs = 60_000;
const retry = { baseMs: 2_000, maxMs: intervalMs };
const none: ListedNames = new Map();

type Lists = ReadonlyMap<FederatedGroup, ListedNames>;
type Reading = { readonly ok: true; readonly lists: Lists; readonly dropped: number } | Unread;
type Unread = { readonly ok: false; readonly message: string };

/** Nothing is read before start. */
export function createBackendDiscovery(options: DiscoveryOptions): BackendDiscovery {
  const { backend, clock, log, random, maxAgeMs } = options;
  const { name } = backend.config;
  let lists: Lists = new Map();
  let readAtMs: number | undefined;
  let problem: string | undefined = "its metrics have not been listed yet";
  let failures = 0;
  let isStopped = false;
  let cancel = (): void => {};

  const use = (next: Lists): void => {
    const isSame = backend.config.groups.every((group) =>
      isEqual(lists.get(group) ?? none, next.get(group) ?? none),
    );
    if (!isSame) lists = next;
  };
  const expire = (): void => {
    if (readAtMs === undefined || clock.nowMs() - readAtMs < maxAgeMs) return;
    readAtMs = undefined;
    log.warn({ backend: name, maxAgeMs }, "the list of a backend is too old and is no longer used");
    use(new Map());
  };
  const settle = (reading: Reading): void => {
    if (reading.ok) {
      if (problem !== undefined)
        log.info({ backend: name, dropped: reading.dropped }, "the list of a backend was read");
      readAtMs = clock.nowMs();
      problem = undefined;
      failures = 0;
      return use(reading.lists);
    }
    if (problem !== reading.message)
      log.warn({ backend: name, problem: reading.message }, "the list of a backend cannot be read");
    problem = reading.message;
    failures += 1;
    expire();
  };
  const poll = async (): Promise<void> => {
    settle(await readLists(backend));
    if (isStopped) return;
    const delayMs =
      failures === 0 ? intervalMs * (0.9 + random() / 5) : backoffMs(failures - 1, { ...retry, random });
    cancel = clock.after(delayMs, () => void poll());
  };

  return {
    lists(request) {
      if (readAtMs === undefined) return undefined;
      return lists.get(request.group)?.has(listedName(request)) ?? false;
    },
    names: (group) => lists.get(group) ?? none,
    problem: () => problem,
    readAtMs: () => readAtMs,
    start: poll,
    stop() {
      isStopped = true;
      cancel();
    },
  };
}

async function readLists(backend: DiscoveryOptions["backend"]): Promise<Reading> {
  const lists = new Map<FederatedGroup, ListedNames>();
  let dropped = 0;
  for (const group of backend.config.groups) {
    const read = await readGroup(backend, group);
    if (!read.ok) return read;
    lists.set(group, read.names);
    dropped += read.dropped;
  }
  return { ok: true, lists, dropped };
}

/** All its versions list the same; one that is not served is passed over. */
async function readGroup(
  backend: DiscoveryOptions["backend"],
  group: FederatedGroup,
): Promise<ReturnType<typeof readResourceList>> {
  const names = new Map<string, boolean>();
  let served = 0;
  let dropped = 0;
  for (const version of federatedVersions[group]) {
    const answer = await backend.read({ path: `/apis/${group}/${version}`, accept: "application/json" });
    if (!answer.ok) return answer;
    if (answer.code === 404) continue;
    if (answer.code !== 200)
      return { ok: false, message: `it answered ${answer.code} for its list of ${group}` };
    const read = readResourceList(group, answer.body.toString("utf8"));
    if (!read.ok) return read;
    served += 1;
    dropped += read.dropped;
    for (const [name, namespaced] of read.names) names.set(name, namespaced);
  }
  return served === 0 ? { ok: false, message: `it does not serve ${group}` } : { ok: true, names, dropped };
}

function isEqual(a: ListedNames, b: ListedNames): boolean {
  return a.size === b.size && [...a].every(([name, namespaced]) => b.get(name) === namespaced);
}
