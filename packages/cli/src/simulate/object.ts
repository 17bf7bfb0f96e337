// Goes on from the newest decision about an object of a cluster: `plimsoll simulate OBJECT`.
import { formatInstant, summarize } from "@plimsoll/core";
import { type Projection, type ProjectOptions, project } from "@plimsoll/simulator";
import { withCluster } from "../cluster/cluster.ts";
import { type ClusterFlags, checkScope, durationFlag } from "../cluster/flags.ts";
import { openDecisions } from "../decisions/open.ts";
import type { Explained } from "../decisions/source.ts";
import { chooseDecision } from "../explain/choose.ts";
import { titleOf } from "../explain/title.ts";
import { findObject } from "../objects/find.ts";
import { ageText } from "../output/age.ts";
import { documentText, isDocumentFormat } from "../output/document.ts";
import { type Style, styleOf } from "../output/style.ts";
import { tableLines } from "../output/table.ts";
import { withChanges } from "../replay/set.ts";
import { CliError, type CliSeams, type ExitCode } from "../seams.ts";
import type { SimulatedChange, SimulateObjectDocument } from "./object-document.ts";
import { readObjectChanges } from "./object-flags.ts";

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
  checkScope(flags, [text]);
  const { fields, metrics } = readObjectChanges(flags.set ?? [], flags.at ?? []);
  const forMs = durationFlag("--for", flags.for, 1000);
  if (forMs > maxMs)
    throw new CliError(`--for ${flags.for} is longer than a day: write a scenario file for that`);
  const readyAfterMs = durationFlag("--ready-after", flags.readyAfter);
  return withCluster(flags, seams, async (cluster) => {
    const object = await findObject(cluster, text);
    const decisions = await openDecisions(cluster, flags, { seams, overrides: {} });
    const moment = { kind: "newest" } as const;
    const explained = await chooseDecision(object, { cluster, decisions, moment, seams, settles: false });
    const { record } = explained;
    if (record === undefined)
      throw new CliError(
        "the inputs of the decision are not kept or may not be read; --via none recomputes them",
      );
    const changed = withChanges(record, { fields, semantics: undefined });
    const { syncPeriodMs: periodMs } = await decisions.recomputing.settings();
    const options = { forMs, periodMs, readyAfterMs, load: flags.load, changes: metrics };
    const projection = project(changed, options);
    const { unknownMetrics, metrics: names } = projection;
    if (unknownMetrics.length > 0)
      throw new CliError(
        `--set or --at ${unknownMetrics.join(", ")}: it has no such metric; use one of ${names.join(", ")}`,
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
  const title = titleOf({ explained, nowMs });
  const of = load === "constant-total" ? "the load stays as it is" : "each pod has as much as now";
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
