// What the doctor finds, with the user's rights: kept for a minute, and one examination at a time.
import { type Clock, createLimit } from "@plimsoll/component-base";
import type { FindingsPage, ObjectKey } from "@plimsoll/decisions";
import { RequestError } from "@plimsoll/decisions/serve";
import { diagnose, rules } from "@plimsoll/doctor";
import type { Cluster } from "../../../cluster/cluster.ts";
import type { RecordedSource } from "../../../decisions/source.ts";
import { hpas } from "../../../objects/scaling-object.ts";
import { CliError, type CliSeams } from "../../../seams.ts";
import { gatherEvidence, withLimit } from "../../doctor/gather/gather.ts";
import { otherKinds } from "../../doctor/gather/kinds.ts";
import { createLists } from "../../doctor/gather/lists.ts";
import { readAdapterRules } from "../../doctor/gather/prometheus.ts";
import { objectsToCheck } from "../../doctor/objects.ts";
import { createKeptValues } from "./kept-value.ts";
import type { FindingsData } from "./source.ts";

export interface FindingsDeps {
  readonly cluster: Cluster;
  readonly clock: Clock;
  /** The autoscaler's, while one answers. */
  readonly recorded: () => RecordedSource | undefined;
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
    throw RequestError.notFound(error.message);
  }
}

/** A list that was not read is not an empty one. */
function refusal(reason: string): RequestError {
  return reason.startsWith("may not ")
    ? new RequestError({ code: 403, reason: "Forbidden", message: reason })
    : new RequestError({ code: 503, reason: "ServiceUnavailable", message: reason });
}
