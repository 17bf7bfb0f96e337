// Prints the list in the form that was asked for.
import { formatInstant } from "@plimsoll/core";
import type { Cluster } from "../../cluster/cluster.ts";
import { outputName } from "../../objects/scaling-object.ts";
import { documentText, isDocumentFormat } from "../../output/document.ts";
import { styleOf } from "../../output/style.ts";
import { wrap } from "../../output/width.ts";
import type { CliSeams } from "../../seams.ts";
import { statusDocument, statusRow } from "./document.ts";
import type { StatusFlags } from "./flags.ts";
import type { StatusList } from "./gather.ts";
import { countsText, statusLines } from "./table.ts";

export interface PrintStatus {
  readonly flags: StatusFlags;
  readonly cluster: Cluster;
  readonly seams: CliSeams;
}

export function printStatus(list: StatusList, print: PrintStatus): void {
  const { flags, cluster, seams } = print;
  const { rows, writers, counts, errors } = list;
  if (isDocumentFormat(flags.output)) {
    const document = statusDocument(formatInstant(seams.nowMs()), {
      items: rows.map((row) => statusRow(row, writers.get(row.uid))),
      counts,
      notes: cluster.notes,
      errors,
    });
    seams.writeOut(documentText(document, flags.output));
    return;
  }
  if (flags.output === "name") {
    const style = styleOf(seams, flags.color);
    seams.writeOut(
      rows.map(({ resource, name }) => `${style.text(outputName({ resource, name }))}\n`).join(""),
    );
    return;
  }
  if (list.total > 0) seams.writeOut(`${[...tableOf(list, print), ...sumsOf(list, print)].join("\n")}\n`);
  else if (errors.length === 0) seams.writeError(`${emptyText(cluster)}\n`);
}

export function emptyText({ scope }: Cluster): string {
  const where = scope === undefined ? "in the cluster" : `in namespace ${scope}`;
  return `no HorizontalPodAutoscaler or WorkloadAutoscaler ${where}`;
}

/** The rows and their headings. */
export function tableOf(
  { rows, writers }: StatusList,
  { flags, cluster, seams }: PrintStatus,
): readonly string[] {
  if (rows.length === 0) return [];
  const isWide = flags.output === "wide";
  const hasNamespace = cluster.scope === undefined;
  const options = { hasNamespace, isWide, writers, nowMs: seams.nowMs(), hasHeadings: flags.headers };
  return statusLines(rows, options, styleOf(seams, flags.color));
}

/** How many objects are in each state. */
export function sumsOf(
  { total, counts, rows, statusOnly }: StatusList,
  { flags, seams }: PrintStatus,
): readonly string[] {
  const style = styleOf(seams, flags.color);
  const shown = rows.length === total ? "" : `; ${rows.length} shown`;
  const sums = `${countsText(total, counts)}${statusOnly === 0 ? "" : `; ${statusOnly} status only`}${shown}`;
  return wrap(style.text(sums), style.columns, "  ");
}
