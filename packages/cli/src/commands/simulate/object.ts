// Goes on from the newest decision about an object of a cluster: `plimsoll simulate OBJECT`.
import { formatInstant, type HeldBy, summarize } from "@plimsoll/core";
import { parseGoDuration } from "@plimsoll/core/duration";
import { ageText } from "@plimsoll/core/internal/values";
import { type MetricChange, type Projection, type ProjectOptions, project } from "@plimsoll/simulator";
import { withCluster } from "../../cluster/cluster.ts";
import { type ClusterFlags, checkScope, durationFlag } from "../../cluster/flags.ts";
import { openDecisions } from "../../decisions/open.ts";
import type { Explained } from "../../decisions/source.ts";
import { findObject } from "../../objects/find.ts";
import type { ObjectIdentity } from "../../objects/scaling-object.ts";
import { documentText, isDocumentFormat } from "../../output/document.ts";
import { type Style, styleOf } from "../../output/style.ts";
import { tableLines } from "../../output/table.ts";
import { CliError, type CliSeams, type ExitCode } from "../../seams.ts";
import { chooseDecision } from "../explain/choose.ts";
import { titleOf } from "../explain/title.ts";
import { type FieldChange, readChange, withChanges } from "../replay/set.ts";

/** As commander hands them over. */
export interface ObjectFlags extends ClusterFlags {
  readonly set?: readonly string[];
  readonly at?: readonly string[];
  readonly for: string;
  readonly readyAfter: string;
  readonly load: ProjectOptions["load"];
}

const maxMs = 24 * 3_600_000;

/** Reads the newest record, changes it as flags say, and decides on. */
export async function simulateObject(text: string, flags: ObjectFlags, seams: CliSeams): Promise<ExitCode> {
  checkScope(flags);
  const { fields, metrics } = readObjectChanges(flags.set ?? [], flags.at ?? []);
  const forMs = durationFlag("--for", flags.for, 1000);
  if (forMs > maxMs)
    throw new CliError(`--for ${flags.for} is longer than a day: use a scenario file instead`);
  const readyAfterMs = durationFlag("--ready-after", flags.readyAfter);
  return withCluster(flags, seams, async (cluster) => {
    const object = await findObject(cluster, text);
    const decisions = await openDecisions(cluster, flags, { seams, overrides: {} });
    const moment = { kind: "newest" } as const;
    const explained = await chooseDecision(object, { cluster, decisions, moment, seams, settles: false });
    const { record } = explained;
    if (record === undefined)
      throw new CliError(
        "the decision's inputs were not kept or are not readable for you; recompute them with --via none",
      );
    const changed = withChanges(record, { fields, semantics: undefined });
    const { syncPeriodMs: periodMs } = await decisions.recomputing.settings();
    const options = { forMs, periodMs, readyAfterMs, load: flags.load, changes: metrics };
    const projection = project(changed, options);
    const { unknownMetrics, metrics: names } = projection;
    if (unknownMetrics.length > 0)
      throw new CliError(
        `--set or --at ${unknownMetrics.join(", ")}: unknown metric; use one of ${names.join(", ")}`,
      );
    const document = documentOf(explained, projection, options);
    for (const note of document.notes) cluster.note(note);
    seams.writeOut(
      isDocumentFormat(flags.output)
        ? documentText(document, flags.output)
        : textOf(document, { explained, style: styleOf(seams, flags.color), nowMs: seams.nowMs() }),
    );
    return 0;
  });
}

function documentOf(
  explained: Explained,
  { steps, notes }: Projection,
  options: ProjectOptions,
): SimulateObjectDocument {
  const startMs = Date.parse(explained.at);
  const changes = steps
    .filter(({ replicas, desired }) => replicas !== desired)
    .map(
      ({ atMs, replicas, desired, decision }): SimulatedChange => ({
        at: formatInstant(atMs),
        afterSeconds: Math.round((atMs - startMs) / 1000),
        from: replicas,
        to: desired,
        reason: decision.reason,
      }),
    );
  const last = steps.at(-1);
  return {
    schema: "plimsoll/simulate-object/v1",
    at: explained.at,
    object: explained.object,
    seconds: options.forMs / 1000,
    readyAfterSeconds: options.readyAfterMs / 1000,
    load: options.load,
    changes,
    ...(last === undefined
      ? {}
      : { final: { replicas: last.desired, heldBy: summarize(last.decision).heldBy } }),
    notes,
  };
}

function textOf(
  { changes, final, seconds, readyAfterSeconds, load }: SimulateObjectDocument,
  {
    explained,
    style,
    nowMs,
  }: { readonly explained: Explained; readonly style: Style; readonly nowMs: number },
): string {
  const title = titleOf(explained, nowMs);
  const of = load === "constant-total" ? "the load stays as it is" : "each pod's load stays as it is";
  const lines = [
    style.text(`${title.object}, ${title.source}`),
    style.text(
      `${ageText(seconds * 1000)} on: ${of}, new pods are Ready after ${ageText(readyAfterSeconds * 1000)}`,
    ),
    ...tableLines(
      changes,
      [
        { heading: "AFTER", cell: ({ afterSeconds }) => ageText(afterSeconds * 1000), align: "right" },
        { heading: "REPLICAS", cell: ({ from, to }) => `${from} → ${to}` },
        { heading: "WHY", cell: ({ reason }) => reason, shrinksTo: 20 },
      ],
      { style, hasHeadings: changes.length > 0 },
    ),
  ];
  if (final === undefined) return `${lines.join("\n")}\n`;
  const held = final.heldBy === "none" ? "" : `, held by ${final.heldBy}`;
  const end = changes.length === 0 ? `stays at ${final.replicas}` : `ends at ${final.replicas}`;
  return `${[...lines, style.text(`${end}${held}`)].join("\n")}\n`;
}

/** Fields are only added within one version of the schema. */
export interface SimulateObjectDocument {
  readonly schema: "plimsoll/simulate-object/v1";
  /** Of the decision that it goes on from. */
  readonly at: string;
  readonly object: ObjectIdentity;
  /** How long it goes on. */
  readonly seconds: number;
  readonly readyAfterSeconds: number;
  readonly load: "constant-total" | "constant-per-pod";
  /** Decisions that change the replicas. */
  readonly changes: readonly SimulatedChange[];
  /** Absent: nothing was decided. */
  readonly final?: { readonly replicas: number; readonly heldBy: HeldBy };
  readonly notes: readonly string[];
}

/** A change of the replicas. */
export interface SimulatedChange {
  readonly at: string;
  readonly afterSeconds: number;
  readonly from: number;
  readonly to: number;
  readonly reason: string;
}

/** Changes of the record, and of the metrics in time. */
interface ObjectChanges {
  readonly fields: readonly FieldChange[];
  readonly metrics: readonly MetricChange[];
}

/** A field of a record has steps; the name of a metric has none of these first words. */
const field = /^(?:spec|status|options|scale|pods|samples|failurePolicies|schedules|memory)[.[]/;

/** `--set FIELD=VALUE`, `--set METRIC=120%`, and `--at 5m:METRIC=900`. @throws CliError */
function readObjectChanges(set: readonly string[], at: readonly string[]): ObjectChanges {
  const later = at.map((text) => {
    const colon = text.indexOf(":");
    const afterMs = colon < 0 ? undefined : parseGoDuration(text.slice(0, colon));
    if (afterMs === undefined || afterMs < 0)
      throw new CliError(`--at ${text}: use TIME:METRIC=VALUE, such as 5m:queue_depth=900`);
    return readMetric(`--at ${text}`, text.slice(colon + 1), afterMs);
  });
  return {
    fields: set.filter((text) => field.test(text)).map(readChange),
    metrics: [
      ...set.filter((text) => !field.test(text)).map((text) => readMetric(`--set ${text}`, text, 0)),
      ...later.toSorted((a, b) => a.afterMs - b.afterMs),
    ],
  };
}

function readMetric(flag: string, text: string, afterMs: number): MetricChange {
  const [, metric, amount, percent] = /^(.+)=(\d+(?:\.\d+)?)(%?)$/.exec(text) ?? [];
  if (metric === undefined)
    throw new CliError(`${flag}: use METRIC=TOTAL or a percentage of today's value, such as cpu=120%`);
  const value = Number(amount);
  return { afterMs, metric, to: percent === "%" ? { factor: value / 100 } : { total: value } };
}
