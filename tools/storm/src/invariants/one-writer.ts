// Invariant: no process writes without a valid lease, nor while another may write as well.

import { wlaDefinition } from "@plimsoll/core/internal/objects";
import { hash } from "@plimsoll/kube";
import { identityOf } from "../autoscaler/autoscaler-program.ts";
import { configOf, leaseName } from "../autoscaler/flags.ts";
import type { ServerRequest } from "../network/network.ts";
import type { CreateInvariant, Observed, World } from "../run/world.ts";
import { createLastDecided, keyOfDecided } from "./decisions.ts";
import { createLeaseHistory, isLeasePath, type LeaseHistory } from "./lease-history.ts";
import { evaluationManager, hpaResource, isAutoscaler, keyOfObject, namedBy, targetOfPath } from "./names.ts";

const name = "one-writer";

/**
 * Checked when a write is sent, since nothing can hold back what is under way. The process must have renewed its lease less
 * than a renew deadline ago, and no other may have taken it since, except where another hand took the lease from its
 * holder, who notices at its next renewal.
 */
export const oneWriter: CreateInvariant = (world) => {
  if (world.scenario.setup.coordination === "alone") return { name };
  const history = createLeaseHistory(world);
  const lastDecided = createLastDecided();
  return {
    name,
    observe(observation) {
      const { nowMs } = world.time;
      history.see(observation);
      if (observation.kind === "decided") lastDecided.see(observation);
      if (observation.kind !== "sent" || !isGuarded(observation.request)) return undefined;
      const { process, request } = observation;
      const { coordination } = configOf(world, process);
      if (coordination.mode === "alone") return undefined;
      const { renewDeadlineMs } = coordination;
      const identity = identityOf(process, world.processes.get(process)?.run ?? 0);
      const at = { identity, nowMs, renewDeadlineMs, history };
      const problem =
        coordination.mode === "leader"
          ? problemOf(leaseName, at)
          : (problemOf(`${leaseName}-member-${memberOf(identity)}`, at) ??
            problemOf(slotOf(keyOf(observation, world, lastDecided), coordination.shards), {
              ...at,
              renewDeadlineMs: undefined,
            }));
      return problem === undefined || `${identity} sends ${request.method} ${request.path}, and ${problem}`;
    },
  };
};

interface At {
  readonly identity: string;
  readonly nowMs: number;
  /** Undefined: the lease is not renewed. */
  readonly renewDeadlineMs: number | undefined;
  readonly history: LeaseHistory;
}

function problemOf(
  lease: string | undefined,
  { identity, nowMs, renewDeadlineMs, history }: At,
): string | undefined {
  if (lease === undefined) return undefined;
  const holding = history.holdingOf(lease, identity);
  if (holding === undefined) return `it does not have the lease ${lease}`;
  if (holding.takenBy !== undefined) return `${holding.takenBy} has taken the lease ${lease} from it`;
  const ageMs = nowMs - holding.renewedMs;
  return renewDeadlineMs !== undefined && ageMs >= renewDeadlineMs
    ? `it renewed the lease ${lease} ${String(ageMs)} ms ago`
    : undefined;
}

/** Events are no state, and leases are written to get the right to write. */
function isGuarded({ method, path, caller }: ServerRequest): boolean {
  return isAutoscaler(caller) && method !== "GET" && !isLeasePath(path) && !/\/events(?:\/|$)/.test(path);
}

function slotOf(key: string | undefined, shards: number): string | undefined {
  return key === undefined ? undefined : `${leaseName}-slot-${String(hash(key) % shards)}`;
}

function memberOf(identity: string): string {
  return identity.toLowerCase().replace(/[^a-z0-9.-]/g, "-");
}

/**
 * The object whose shard counts, of statuses and of replicas that follow a decision; other writes are checked by the lease
 * of the member alone.
 */
function keyOf(
  { process, request }: Observed<"sent">,
  world: World,
  lastDecided: ReturnType<typeof createLastDecided>,
): string | undefined {
  const { path, query } = request;
  const target = targetOfPath(path);
  if (target !== undefined) {
    const decided =
      query.get("fieldManager") === evaluationManager ? lastDecided.of(process, target) : undefined;
    return decided && keyOfDecided(decided);
  }
  const named = namedBy(path);
  if (named?.subresource !== "status") return undefined;
  if (named.resource === hpaResource) return keyOfObject("", named.namespace, named.name);
  if (named.resource !== wlaDefinition) return undefined;
  const wla = world.cluster.store.get(wlaDefinition, named.namespace, named.name);
  const { scaleTargetRef } = (wla?.spec ?? {}) as { readonly scaleTargetRef?: { readonly kind?: string } };
  // The status of one that moves bounds is written by who owns the HPA.
  if (wla === undefined || scaleTargetRef?.kind === "HorizontalPodAutoscaler") return undefined;
  return keyOfObject("WorkloadAutoscaler", named.namespace, named.name);
}
