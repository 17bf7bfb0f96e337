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

export function printStatus(
  list: StatusList,
  {
    flags,
    cluster,
    seams,
  }: { readonly flags: StatusFlags; readonly cluster: Cluster; readonly seams: CliSeams },
): void {
  const { rows, writers, counts, errors } = list;
  const nowMs = seams.nowMs();
  if (isDocumentFormat(flags.output)) {
    const document = statusDocument(formatInstant(nowMs), {
      items: rows.map((row) => statusRow(row, writers.get(row.uid))),
      counts,
      notes: cluster.notes,
      errors,
    });
    seams.writeOut(documentText(document, flags.output));
    return;
  }
  const style = styleOf(seams, flags.color);
  if (flags.output === "name") {
    seams.writeOut(
      rows.map(({ resource, name }) => `${style.text(outputName({ resource, name }))}\n`).join(""),
    );
    return;
  }
  if (list.total === 0) {
    if (errors.length === 0)
      seams.writeError(
        `no HorizontalPodAutoscaler or WorkloadAutoscaler ${cluster.scope === undefined ? "in the cluster" : `in namespace ${cluster.scope}`}\n`,
      );
    return;
  }
  const lines = [
    ...(rows.length === 0
      ? []
      : statusLines(
          rows,
          {
            hasNamespace: cluster.scope === undefined,
            isWide: flags.output === "wide",
            writers,
            nowMs,
            hasHeadings: flags.headers,
          },
          style,
        )),
    ...wrap(style.text(lastLine(list)), style.columns, "  "),
  ];
  seams.writeOut(`${lines.join("\n")}\n`);
}

function lastLine({ total, counts, rows, statusOnly }: StatusList): string {
  const shown = rows.length === total ? "" : `; ${rows.length} shown`;
  return `${countsText(total, counts)}${statusOnly === 0 ? "" : `; ${statusOnly} status only`}${shown}`;
}
