// What the doctor finds, with the user's rights: kept for a minute, and one examination at a time.
import { type Clock, createLimit } from "@plimsoll/component-base";
import { diagnose, rules } from "@plimsoll/doctor";
import type { Cluster } from "../../cluster/cluster.ts";
import type { DecisionSource } from "../../decisions/source.ts";
import { gatherEvidence, withLimit } from "../../doctor/gather/gather.ts";
import { otherKinds } from "../../doctor/gather/kinds.ts";
import { createLists } from "../../doctor/gather/lists.ts";
import { readAdapterRules } from "../../doctor/gather/prometheus.ts";
import { objectsToCheck } from "../../doctor/objects.ts";
import { hpas } from "../../objects/scaling-object.ts";
import { CliError, type CliSeams } from "../../seams.ts";
import type { FindingsPage, ObjectKey } from "../documents.ts";
import { RequestError } from "../server/failure.ts";
import { createKeptValues } from "./kept-value.ts";
import type { FindingsData } from "./source.ts";

export interface FindingsDeps {
  readonly cluster: Cluster;
  readonly clock: Clock;
  /** The autoscaler's, while one answers. */
  readonly recorded: () => DecisionSource | undefined;
  readonly prometheusUrl: string | undefined;
  readonly seams: CliSeams;
}

const keepMs = 60_000;

export function findingsData(deps: FindingsDeps): FindingsData {
  const kept = createKeptValues<FindingsPage>(deps.clock, { keepMs, idleShare: 4, max: 50 });
  const oneAtATime = createLimit(1);
  return {
    of: (namespace) =>
      kept.get(`all ${namespace ?? ""}`, () => oneAtATime(() => examine(deps, namespace, []))),
    ofObject({ resource, namespace, name }: ObjectKey) {
      const named = `${resource === hpas.resource ? "hpa" : "wla"}/${name}`;
      return kept.get(`one ${namespace} ${named}`, () => oneAtATime(() => examine(deps, namespace, [named])));
    },
  };
}

async function examine(
  { cluster: opened, clock, recorded, prometheusUrl, seams }: FindingsDeps,
  namespace: string | undefined,
  names: readonly string[],
): Promise<FindingsPage> {
  const cluster = withLimit({ ...opened, scope: namespace, namespace: namespace ?? opened.namespace });
  const lists = createLists(cluster, namespace);
  const nowMs = clock.nowMs();
  const at = new Date(nowMs).toISOString();
  // Who may not list may still read one object.
  if (names.length === 0) {
    let count = 0;
    for (const kind of [otherKinds.hpas, otherKinds.wlas]) {
      const listed = await lists.listAll(kind);
      if (!listed.ok) throw refusal(listed.reason);
      count += listed.value.length;
    }
    if (count === 0) return { at, findings: [], skipped: [], checked: { objects: 0, rules: rules.length } };
  }
  try {
    const { objects } = await objectsToCheck(cluster, lists, names);
    const adapterRules = await readAdapterRules(
      cluster,
      prometheusUrl === undefined ? {} : { prometheus: prometheusUrl },
      seams,
    );
    const request = { cluster, lists, objects, rules, nowMs, clock, adapterRules, recorded: recorded() };
    return { at, ...diagnose(await gatherEvidence(request), rules) };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    throw new RequestError(404, "NotFound", error.message);
  }
}

/** A list that was not read is not an empty one. */
function refusal(reason: string): RequestError {
  return reason.startsWith("may not ")
    ? new RequestError(403, "Forbidden", reason)
    : new RequestError(503, "ServiceUnavailable", reason);
}
