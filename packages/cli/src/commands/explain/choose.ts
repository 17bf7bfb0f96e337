// Which decision is explained: the recorded one that was asked for, or one that is recomputed.
import { sleep } from "@plimsoll/component-base";
import {
  diagnoseRecorded,
  type FactReadings,
  frontMetrics,
  known,
  readAutoscaler,
  unknown,
} from "@plimsoll/doctor";
import type { Cluster } from "../../cluster/cluster.ts";
import type { Decisions } from "../../decisions/open.ts";
import type { DecisionSource, Explained, Wanted } from "../../decisions/source.ts";
import { getObject } from "../../objects/get.ts";
import { hpas, type ScalingObject, wlas } from "../../objects/scaling-object.ts";
import { type CliSeams, clockOf } from "../../seams.ts";
import { readFronts } from "../doctor/gather/fronts.ts";
import { createLists } from "../doctor/gather/lists.ts";
import { readCompiledRules } from "../doctor/gather/prometheus.ts";

export type Moment =
  | { readonly kind: "newest" }
  | { readonly kind: "back"; readonly count: number }
  | { readonly kind: "at"; readonly atMs: number };

interface Choice {
  readonly cluster: Cluster;
  readonly decisions: Decisions;
  readonly moment: Moment;
  readonly seams: CliSeams;
  readonly settles: boolean;
  /** The decision before, with --diff. */
  readonly previous?: boolean;
}

export async function chooseDecision(object: ScalingObject, choice: Choice): Promise<Explained> {
  const explained = await decisionOf(object, choice);
  const { decision, record, source } = explained;
  // Without a decision nothing was looked at.
  if (decision === undefined) return explained;
  // An object out of a list has no kind of its own.
  const scaling = { ...object.object, kind: object.kind };
  const nowMs = choice.seams.nowMs();
  const otherWriter = source === "recorded" ? known(explained.otherWriter) : unknown("not recorded");
  const fronts = await frontsOf(scaling, choice.cluster);
  const findings = diagnoseRecorded({ object: scaling, decision, record, otherWriter, fronts, nowMs });
  return { ...explained, findings };
}

/** No record has them. */
async function frontsOf(object: object, cluster: Cluster): Promise<FactReadings["fronts"] | undefined> {
  const read = readAutoscaler(object);
  if (read === undefined || frontMetrics(read).length === 0) return undefined;
  const lists = createLists(cluster, read.namespace);
  return readFronts({ cluster, lists, rules: () => readCompiledRules(cluster) }, read);
}

async function decisionOf(object: ScalingObject, choice: Choice): Promise<Explained> {
  const { cluster, decisions, moment, settles, previous = false } = choice;
  const { recorded } = decisions;
  if (recorded !== undefined) return ofMoment(recorded, object, moment, { previous });
  if (moment.kind !== "newest")
    cluster.note(`--${moment.kind} needs recorded decisions, but this one is recomputed from live data`);
  const explained = await decisions.recomputing.explain(object);
  return settles ? settled(object, explained, choice) : explained;
}

function ofMoment(
  source: DecisionSource,
  { identity }: ScalingObject,
  moment: Moment,
  wanted: Wanted,
): Promise<Explained> {
  switch (moment.kind) {
    case "newest":
      return source.newest(identity, wanted);
    case "back":
      return source.back(identity, moment.count, wanted);
    case "at":
      return source.at(identity, moment.atMs, wanted);
  }
}

const pollMs = 2_000;
const periods = 2;

/** The controller looks at the cluster once a period: until then its status is of another moment. */
async function settled(object: ScalingObject, first: Explained, choice: Choice): Promise<Explained> {
  const { cluster, decisions, seams } = choice;
  const clock = clockOf(seams);
  const { syncPeriodMs } = await decisions.recomputing.settings();
  const endMs = clock.nowMs() + periods * syncPeriodMs;
  let explained = first;
  while (explained.comparison?.verdict === "differs" && clock.nowMs() < endMs) {
    await sleep(clock, Math.min(pollMs, endMs - clock.nowMs()), seams.signal);
    const { namespace, name, resource } = object.identity;
    const fresh = await getObject(cluster.client, resource === hpas.resource ? hpas : wlas, {
      namespace,
      name,
    });
    if (fresh === undefined) return explained;
    explained = await decisions.recomputing.explain(fresh);
  }
  return explained;
}
