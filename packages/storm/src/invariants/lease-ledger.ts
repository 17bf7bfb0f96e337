// Who had which lease, by the history of the store and by what processes were told of it.
import { identityOf } from "../autoscaler/autoscaler-program.ts";
import type { ServerRequest } from "../network/network.ts";
import type { Observation, World } from "../run/world.ts";
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

export interface LeaseLedger {
  see(observation: Observation, nowMs: number): void;
  /** All that is in the store may be as it was earlier. */
  restored(): void;
  /** Undefined when it never had the lease, or released it. */
  holdingOf(lease: string, identity: string): Holding | undefined;
}

/**
 * Taking over is allowed from a holder who must have stopped, and from one whose lease another hand removed or changed, if
 * the taker could not know of that holder: who was told of it waits until it must have stopped.
 */
export function createLeaseLedger({ processes }: Pick<World, "processes">): LeaseLedger {
  const holdings = new Map<string, Map<string, Holding>>();
  /** By identity and lease: the last holder that a process was told of, and when. */
  const told = new Map<string, { readonly holder: string; readonly atMs: number }>();
  /** By identity and lease: when it last sent a write of it. */
  const sentMs = new Map<string, number>();

  function written(observation: Extract<Observation, { kind: "written" }>, nowMs: number): void {
    const { writer, event } = observation;
    const { name } = event.object.metadata;
    const of = holdings.get(name) ?? new Map<string, Holding>();
    holdings.set(name, of);
    if (!isAutoscaler(writer)) {
      const how = event.type === "DELETED" ? "deleted" : "changed";
      for (const holding of of.values()) holding.outside = holding.outside === "changed" ? "changed" : how;
      return;
    }
    const spec = event.object.spec as { readonly holderIdentity?: string } | undefined;
    const holder = event.type === "DELETED" ? "" : (spec?.holderIdentity ?? "");
    if (holder === "") {
      of.clear();
      return;
    }
    for (const [identity, holding] of of) {
      if (identity !== holder && mustKnow(holder, identity, name, holding)) holding.takenBy ??= holder;
    }
    of.set(holder, { renewedMs: nowMs, outside: undefined, takenBy: undefined });
  }

  function mustKnow(taker: string, holder: string, lease: string, { outside }: Holding): boolean {
    if (outside === undefined) return true;
    if (outside === "changed") return false;
    const seen = told.get(`${taker} ${lease}`);
    return seen?.holder === holder && seen.atMs < (sentMs.get(`${taker} ${lease}`) ?? 0);
  }

  function identityNow(process: string): string {
    return identityOf(process, processes.get(process)?.run ?? 0);
  }

  function received(
    { process, code, body = "" }: Extract<Observation, { kind: "received" }>,
    nowMs: number,
  ): void {
    if (code >= 300 || body === "") return;
    const { items, ...one } = JSON.parse(body) as Leases;
    for (const { metadata, spec } of items ?? [one]) {
      if (metadata?.name !== undefined)
        told.set(`${identityNow(process)} ${metadata.name}`, {
          holder: spec?.holderIdentity ?? "",
          atMs: nowMs,
        });
    }
  }

  function sent({ process, request }: Extract<Observation, { kind: "sent" }>, nowMs: number): void {
    const { metadata } = JSON.parse(request.body ?? "{}") as Leases;
    const name = namedBy(request.path)?.name ?? metadata?.name ?? "";
    sentMs.set(`${identityNow(process)} ${name}`, nowMs);
  }

  return {
    see(observation, nowMs) {
      if (observation.kind === "written" && observation.event.resource === leaseResource)
        written(observation, nowMs);
      else if (observation.kind === "received" && isLeasePath(observation.request.path))
        received(observation, nowMs);
      else if (observation.kind === "sent" && isWriteOfLease(observation.request)) sent(observation, nowMs);
    },
    restored() {
      for (const of of holdings.values()) for (const holding of of.values()) holding.outside = "changed";
    },
    holdingOf: (lease, identity) => holdings.get(lease)?.get(identity),
  };
}

interface Leases {
  readonly metadata?: { readonly name?: string };
  readonly spec?: { readonly holderIdentity?: string };
  readonly items?: readonly Leases[] | null;
}

function isWriteOfLease({ method, path }: ServerRequest): boolean {
  return method !== "GET" && isLeasePath(path);
}

export function isLeasePath(path: string): boolean {
  return path.startsWith("/apis/coordination.k8s.io/");
}
