// What one backend lists, read in the background again and again, and kept while it is down.
import { backoffMs, type Clock, type Logger } from "@plimsoll/component-base";
import type { Backend } from "../backend/backend.ts";
import type { FederatedGroup } from "../config/federation-config.ts";
import { listedName, type MetricTarget } from "../directory/metric-request.ts";
import { type GroupReading, readGroups } from "./read-groups.ts";
import { type ListedNames, maxNames } from "./read-list.ts";

/** What is known of the list of a backend. */
export type BackendDiscovery = ReturnType<typeof createBackendDiscovery>;

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

/** What is known of one group; `problem` is of its last reading. */
interface Known {
  /** Undefined before the first list. */
  readonly owned: ListedNames | undefined;
  /** For discovery: none when the list is too old. */
  readonly names: ListedNames;
  readonly versions: readonly string[];
  readonly readAtMs: number | undefined;
  readonly problem: string | undefined;
}

/** kube-apiserver reads ours about as often. */
const intervalMs = 60_000;
const retry = { baseMs: 2_000, maxMs: intervalMs };
const noNames: ListedNames = new Map();
const nothing: Known = {
  owned: undefined,
  names: noNames,
  versions: [],
  readAtMs: undefined,
  problem: "its metrics haven't been listed yet",
};

/** Nothing is read before start. */
export function createBackendDiscovery(options: DiscoveryOptions) {
  const { backend, clock, random } = options;
  const { groups } = backend.config;
  const known = new Map<FederatedGroup, Known>();
  const of = (group: FederatedGroup): Known => known.get(group) ?? nothing;
  const problem = (): string | undefined => {
    const problems = new Set(groups.flatMap((group) => of(group).problem ?? []));
    return problems.size === 0 ? undefined : [...problems].join("; ");
  };
  /** Groups whose list is too long, which is logged once. */
  const cut = new Set<FederatedGroup>();
  let failures = 0;
  let isStopped = false;
  let cancel = (): void => {};

  const poll = async (): Promise<void> => {
    const readings = await readGroups(backend, (group) => of(group).owned ?? noNames);
    if (isStopped) return;
    const before = problem();
    for (const [group, reading] of readings) known.set(group, next(of(group), reading, options));
    failures = problem() === undefined ? 0 : failures + 1;
    logReading(options, before, problem(), readings);
    logCut(options, readings, cut);
    const delayMs =
      failures === 0 ? intervalMs * (0.9 + random() / 5) : backoffMs(failures - 1, { ...retry, random });
    cancel = clock.after(delayMs, () => void poll());
  };

  return {
    /** By the last list, however old: its metrics stay its own. Undefined while none was read. */
    lists: (request: Pick<MetricTarget, "group" | "resource" | "metric">): boolean | undefined =>
      of(request.group).owned?.has(listedName(request)),
    /** None when the list is too old. The same object until the list changes. */
    names: (group: FederatedGroup): ListedNames => of(group).names,
    /** The versions of a group that it serves; none while that is unknown. */
    versions: (group: FederatedGroup): readonly string[] => of(group).versions,
    /** Why the last reading of a group failed; undefined when none did. */
    problem,
    /** Of the last reading that did not fail, of the group that was read the longest ago; undefined when there is none. */
    readAtMs(): number | undefined {
      const times = groups.map((group) => of(group).readAtMs);
      return times.includes(undefined) ? undefined : Math.min(...times.map(Number));
    },
    /** Resolves when the list was read, or could not be, for the first time. Never rejects. */
    start: poll,
    stop(): void {
      isStopped = true;
      cancel();
    },
  };
}

/** A list that could not be read stays in discovery until it is too old. */
function next(
  last: Known,
  reading: GroupReading,
  { backend, clock, log, maxAgeMs }: DiscoveryOptions,
): Known {
  const nowMs = clock.nowMs();
  if (reading.ok) {
    const names = isEqual(last.names, reading.names) ? last.names : reading.names;
    return { owned: names, names, versions: reading.versions, readAtMs: nowMs, problem: undefined };
  }
  const { message } = reading;
  if (last.readAtMs === undefined || nowMs - last.readAtMs < maxAgeMs) return { ...last, problem: message };
  log.warn(
    { backend: backend.config.name, maxAgeMs },
    "the list of a backend is too old and is no longer used",
  );
  return { ...last, names: noNames, readAtMs: undefined, problem: message };
}

function logReading(
  { backend, log }: DiscoveryOptions,
  before: string | undefined,
  problem: string | undefined,
  readings: ReadonlyMap<FederatedGroup, GroupReading>,
): void {
  if (problem === before) return;
  const { name } = backend.config;
  if (problem !== undefined) return log.warn({ backend: name, problem }, "cannot read the list of a backend");
  const dropped = [...readings.values()].reduce((sum, one) => sum + (one.ok ? one.dropped : 0), 0);
  log.info({ backend: name, dropped }, "the list of a backend was read");
}

function logCut(
  { backend, log }: DiscoveryOptions,
  readings: ReadonlyMap<FederatedGroup, GroupReading>,
  cut: Set<FederatedGroup>,
): void {
  for (const [group, reading] of readings) {
    if (!reading.ok) continue;
    const { cutFrom } = reading;
    if (cutFrom === undefined) cut.delete(group);
    else if (!cut.has(group)) {
      cut.add(group);
      const fields = { backend: backend.config.name, group, listed: cutFrom, limit: maxNames };
      log.warn(fields, "a backend lists too many metrics: select some with match.metrics");
    }
  }
}

function isEqual(a: ListedNames, b: ListedNames): boolean {
  return a.size === b.size && [...a].every(([name, namespaced]) => b.get(name) === namespaced);
}
