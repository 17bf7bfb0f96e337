// Who had which lease, by the history of the store and by what processes received of it.
import { identityOf } from "../autoscaler/autoscaler-program.ts";
import type { ServerRequest } from "../network/network.ts";
import { lookAt } from "../network/parsed.ts";
import type { Observation, Observed, World } from "../run/world.ts";
import { isAutoscaler, leaseResource, namedBy } from "./names.ts";

/** A process's time with a lease, which it need not know the end of at once. */
export interface Holding {
  /** When the store took its last renewal: it was sent before that, so the process may count from earlier only. */
  renewedMs: number;
  /** What another hand did to the lease since: it may be noticed as late as the next renewal. */
  outside: "deleted" | "changed" | undefined;
  /** Who took the lease since, though its holder may still use it. */
  takenBy: string | undefined;
}

export interface LeaseHistory {
  see(observation: Observation): void;
  /** Undefined when it never had the lease, or released it. */
  holdingOf(lease: string, identity: string): Holding | undefined;
}

interface State extends Pick<World, "processes" | "time"> {
  /** By lease and identity. */
  readonly holdings: Map<string, Map<string, Holding>>;
  /** By identity and lease: the last holder that a process received, and when. */
  readonly seenHolders: Map<string, { readonly holder: string; readonly atMs: number }>;
  /** By identity and lease: when it last sent a write of it. */
  readonly sentMs: Map<string, number>;
}

/**
 * Taking over is allowed from a holder who must have stopped, and from one whose lease another hand removed or changed, if
 * the taker could not know of that holder: a process that received it waits until it must have stopped.
 */
export function createLeaseHistory({
  cluster,
  processes,
  time,
}: Pick<World, "cluster" | "processes" | "time">): LeaseHistory {
  const state: State = { processes, time, holdings: new Map(), seenHolders: new Map(), sentMs: new Map() };
  // All of them may be as they were earlier.
  cluster.onRestore(() => {
    for (const of of state.holdings.values()) for (const holding of of.values()) holding.outside = "changed";
  });
  return {
    see(observation) {
      if (observation.kind === "written" && observation.event.resource === leaseResource)
        written(state, observation);
      else if (observation.kind === "received" && isLeasePath(observation.request.path))
        received(state, observation);
      else if (observation.kind === "sent" && isWriteOfLease(observation.request)) sent(state, observation);
    },
    holdingOf: (lease, identity) => state.holdings.get(lease)?.get(identity),
  };
}

function written(state: State, { writer, event }: Observed<"written">): void {
  const { holdings } = state;
  const { name } = event.object.metadata;
  const of = holdings.get(name) ?? new Map<string, Holding>();
  holdings.set(name, of);
  if (!isAutoscaler(writer)) {
    const how = event.type === "DELETED" ? "deleted" : "changed";
    for (const holding of of.values()) holding.outside = holding.outside === "changed" ? "changed" : how;
    return;
  }
  const spec = event.object.spec as Lease["spec"];
  const holder = event.type === "DELETED" ? "" : (spec?.holderIdentity ?? "");
  // What was removed by hand is created again, also for another process, which takes and releases nothing.
  if (event.type === "ADDED" && holder !== identityNow(state, writer)) return;
  if (holder === "") released(of, identityNow(state, writer));
  else taken(state, { of, holder, lease: name });
}

/** By its holder, or by another process that cleans up: whose lease another hand changed notices it at the next renewal. */
function released(of: Map<string, Holding>, by: string): void {
  for (const [identity, { outside }] of of) if (identity === by || outside === undefined) of.delete(identity);
}

function taken(
  state: State,
  {
    of,
    holder,
    lease,
  }: { readonly of: Map<string, Holding>; readonly holder: string; readonly lease: string },
): void {
  for (const [identity, holding] of of) {
    if (identity !== holder && mustKnow(state, { taker: holder, holder: identity, lease, holding }))
      holding.takenBy ??= holder;
  }
  of.set(holder, { renewedMs: state.time.nowMs, outside: undefined, takenBy: undefined });
}

function mustKnow(
  { seenHolders, sentMs }: State,
  about: {
    readonly taker: string;
    readonly holder: string;
    readonly lease: string;
    readonly holding: Holding;
  },
): boolean {
  const { taker, holder, lease, holding } = about;
  if (holding.outside === undefined) return true;
  if (holding.outside === "changed") return false;
  const seen = seenHolders.get(`${taker} ${lease}`);
  return seen?.holder === holder && seen.atMs < (sentMs.get(`${taker} ${lease}`) ?? 0);
}

function identityNow({ processes }: State, process: string): string {
  return identityOf(process, processes.get(process)?.run ?? 0);
}

function received(state: State, { process, code, body = "" }: Observed<"received">): void {
  if (code >= 300 || body === "") return;
  const { items, ...one } = lookAt(body) as Lease;
  const identity = identityNow(state, process);
  for (const { metadata, spec } of items ?? [one]) {
    if (metadata?.name === undefined) continue;
    const holder = spec?.holderIdentity ?? "";
    state.seenHolders.set(`${identity} ${metadata.name}`, { holder, atMs: state.time.nowMs });
  }
}

function sent(state: State, { process, request }: Observed<"sent">): void {
  const name = namedBy(request.path)?.name ?? nameIn(request.body) ?? "";
  state.sentMs.set(`${identityNow(state, process)} ${name}`, state.time.nowMs);
}

/** Of a lease that is created: its path does not say it. */
function nameIn(body = "{}"): string | undefined {
  return (JSON.parse(body) as Lease).metadata?.name;
}

/** A lease, or a list of them. */
interface Lease {
  readonly metadata?: { readonly name?: string };
  readonly spec?: { readonly holderIdentity?: string };
  readonly items?: readonly Lease[] | null;
}

function isWriteOfLease({ method, path }: ServerRequest): boolean {
  return method !== "GET" && isLeasePath(path);
}

export function isLeasePath(path: string): boolean {
  return path.startsWith("/apis/coordination.k8s.io/");
}
