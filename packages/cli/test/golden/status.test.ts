// The mock-up of `status` on each terminal.
import { countsOf } from "@plimsoll/decisions";
import type { ServedObject } from "@plimsoll/observe";
import { expect, test } from "vitest";
import { countsText, statusLines } from "../../src/commands/status/table.ts";
import { rowOf } from "../../src/decisions/summary-row.ts";
import { styleOf } from "../../src/output/style.ts";
import { widthOf } from "../../src/output/width.ts";
import { hpaOf, statusOf } from "../cluster/workload.ts";
import { billing, decidedMs, identityOf, importer, recorded, shop } from "./inputs.ts";
import { pipe, terminals } from "./terminals.ts";

/** Since when its conditions are as they are. */
function served(type: string, since: string): ServedObject {
  return {
    metadata: { name: "x" },
    spec: { scaleTargetRef: { kind: "Deployment", name: "x" }, maxReplicas: 1 },
    status: { conditions: [{ type, status: "True", lastTransitionTime: `2026-11-22T${since}Z` }] },
  };
}

const rows = [
  rowOf({ ...recorded(importer), served: served("ScalingActive", "09:49:00") }),
  rowOf(recorded(shop)),
  rowOf({ ...recorded(billing), served: served("ScalingLimited", "09:38:00") }),
  rowOf({
    source: "status",
    at: "2026-11-22T10:00:02Z",
    object: identityOf({ namespace: "web", name: "api" }),
    assumptions: [],
    notes: [],
    served: hpaOf({
      namespace: "web",
      name: "api",
      replicas: 6,
      maxReplicas: 10,
      metadata: { creationTimestamp: "2026-11-22T09:56:02Z" },
      status: statusOf(6, { cpu: 64 }),
    }),
  }),
];

const options = { hasNamespace: true, hasHeadings: true, nowMs: decidedMs };

test.each(terminals)("objects of each state, on %s", async (name, terminal) => {
  const style = styleOf({ terminal }, "never");
  const lines = statusLines(rows, { ...options, isWide: false }, style);
  const text = `${[...lines, countsText(rows.length, countsOf(rows))].join("\n")}\n`;
  await expect(text).toMatchFileSnapshot(`status-${name}.txt`);
  expect(Math.max(...text.split("\n").map((line) => widthOf(line)))).toBeLessThanOrEqual(
    terminal.columns ?? 0,
  );
});

test.each(terminals)("wide, on %s", async (name, terminal) => {
  const style = styleOf({ terminal }, "never");
  const text = `${statusLines(rows, { ...options, isWide: true }, style).join("\n")}\n`;
  await expect(text).toMatchFileSnapshot(`status-wide-${name}.txt`);
});

test.each([false, true])("in a pipe each row is one line with all columns, wide: %s", (isWide) => {
  const lines = (env: NodeJS.ProcessEnv, isTty = false) => {
    const style = styleOf({ terminal: { ...pipe, isTty }, env }, "never");
    return statusLines(rows, { ...options, isWide }, style);
  };
  expect(lines({})).toHaveLength(rows.length + 1);
  expect(lines({})).toEqual(lines({}, true));
  const fitted = styleOf({ terminal: { ...pipe, isTty: true, columns: 80 } }, "never");
  expect(lines({ COLUMNS: "80" })).toEqual(statusLines(rows, { ...options, isWide }, fitted));
});

test("columns are left out in the order of their value before a name is cut", () => {
  const long = rows.map((row) => ({
    ...row,
    namespace: "team-payments-production",
    name: `${row.name}-recommendations`,
  }));
  const shown = (columns: number) => {
    const style = styleOf({ terminal: { isTty: true, columns, isUtf8: true } }, "never");
    const lines = statusLines(long, { ...options, isWide: false }, style);
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns);
    return lines;
  };
  expect(shown(96)[0]).toBe(
    "NAMESPACE                 NAME                     NOW  WANT  MIN-MAX  DECIDED BY   HELD BY",
  );
  expect(shown(80)[0]).toBe("NAMESPACE                 NAME                     NOW  WANT  HELD BY");
  expect(shown(80).join()).toContain("billing-recommendations");
  expect(shown(60).join()).toContain("team-payment…");
});
