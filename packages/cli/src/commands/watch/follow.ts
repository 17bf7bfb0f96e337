// Follows the decisions about one object: changes as the autoscaler sends them, or live data again and again.
import { backoffMs, messageOf, sleep } from "@plimsoll/component-base";
import type { Decision } from "@plimsoll/core";
import type { ObjectKey, SummaryRow } from "@plimsoll/decisions";
import { ApiError } from "@plimsoll/kube";
import type { Cluster } from "../../cluster/cluster.ts";
import { isClusterError } from "../../cluster/error-text.ts";
import type { ClusterFlags } from "../../cluster/flags.ts";
import { type Decisions, endpointFor } from "../../decisions/open.ts";
import { rowOf } from "../../decisions/summary-row.ts";
import type { Endpoint } from "../../endpoint/endpoint.ts";
import type { ObjectIdentity } from "../../objects/scaling-object.ts";
import { CliError, type CliSeams, clockOf } from "../../seams.ts";

export interface FollowDeps {
  readonly cluster: Cluster;
  readonly decisions: Decisions;
  readonly flags: ClusterFlags;
  readonly seams: CliSeams;
  /** Read each decision whole. */
  readonly hasDecisions: boolean;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** A row, and the decision that it is of where that was read. */
interface Followed {
  readonly row: SummaryRow;
  readonly decision?: Decision | undefined;
}

const maxFailures = 5;
const retries = { baseMs: 1_000, maxMs: 32_000 } as const;

/** The newest decision, then each that may say something else. Throws what keeps failing; CliError: it was deleted. */
export async function* followRows(object: ObjectIdentity, deps: FollowDeps): AsyncGenerator<Followed> {
  const opened = await endpointFor(deps);
  let failures = 0;
  while (!deps.signal.aborted) {
    try {
      for await (const one of opened.ok ? streamed(object, opened.endpoint, deps) : polled(object, deps)) {
        failures = 0;
        yield one;
      }
    } catch (error) {
      if (deps.signal.aborted) return;
      failures += 1;
      if (!isClusterError(error) || failures > maxFailures) throw error;
      deps.cluster.note(`cannot follow the decisions (${messageOf(error)}); retrying`);
    }
    await sleep(clockOf(deps.seams), backoffMs(failures, retries), deps.signal);
  }
}

/** Ends with the stream. */
async function* streamed(
  object: ObjectIdentity,
  endpoint: Endpoint,
  deps: FollowDeps,
): AsyncGenerator<Followed> {
  const first = await newest(object, deps);
  yield first;
  if (first.row.source !== "recorded") {
    yield* polled(object, deps);
    return;
  }
  try {
    yield* changed(object, endpoint, deps);
  } catch (error) {
    // There may be too many streams already: what they say can be read, too.
    if (!(error instanceof ApiError) || error.code === 401 || error.code >= 500) throw error;
    deps.cluster.note(`no event stream (${error.message}); reading once per period`);
    yield* polled(object, deps);
  }
}

async function* changed(
  object: ObjectIdentity,
  endpoint: Endpoint,
  deps: FollowDeps,
): AsyncGenerator<Followed> {
  const { namespace, resource, name } = object;
  for await (const change of endpoint.changes({ namespace, signal: deps.signal })) {
    switch (change.kind) {
      case "reset":
        yield await newest(object, deps);
        break;
      case "rows":
        for (const row of change.rows.filter((one) => isSame(one, object)))
          yield deps.hasDecisions ? await newest(object, deps) : { row };
        break;
      case "deleted":
        if (change.objects.some((one) => isSame(one, object)))
          throw new CliError(
            `the autoscaler no longer decides about ${resource} "${name}" in namespace "${namespace}"`,
          );
    }
  }
}

function isSame(one: ObjectKey, { resource, namespace, name }: ObjectKey): boolean {
  return one.resource === resource && one.namespace === namespace && one.name === name;
}

/** Once a sync period, as the controller does. */
async function* polled(object: ObjectIdentity, deps: FollowDeps): AsyncGenerator<Followed> {
  const { syncPeriodMs } = await deps.decisions.recomputing.settings();
  while (!deps.signal.aborted) {
    yield await newest(object, deps);
    await sleep(clockOf(deps.seams), syncPeriodMs, deps.signal);
  }
}

async function newest(object: ObjectIdentity, { decisions, signal }: FollowDeps): Promise<Followed> {
  const explained = await (decisions.recorded ?? decisions.recomputing).newest(object);
  signal.throwIfAborted();
  return { row: rowOf(explained), decision: explained.decision };
}
