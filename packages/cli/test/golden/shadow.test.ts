// The table of `shadow` on each terminal.

import type { ShadowItem } from "@plimsoll/decisions";
import { expect, test } from "vitest";
import { totalOf } from "../../src/commands/shadow/agreement.ts";
import { shadowLines } from "../../src/commands/shadow/table.ts";
import { styleOf } from "../../src/output/style.ts";
import { widthOf } from "../../src/output/width.ts";
import { decidedMs } from "./inputs.ts";
import { pipe, terminals } from "./terminals.ts";

const since = "2026-11-20T10:00:02.000Z";
const items: readonly ShadowItem[] = [
  {
    namespace: "default",
    name: "shop",
    agreed: 8404,
    differed: 8,
    unsettled: 31,
    agreement: 1,
    since,
    isApart: true,
    lastDifference: {
      step: "stabilize",
      ours: "AbleToScale True ScaleDownStabilized",
      theirs: "AbleToScale True ReadyForNewScale",
      at: "2026-11-22T09:12:01.000Z",
    },
  },
  {
    namespace: "web",
    name: "api",
    agreed: 8412,
    differed: 0,
    unsettled: 2,
    agreement: 1,
    since,
    isApart: false,
  },
  { namespace: "web", name: "new", agreed: 0, differed: 0, unsettled: 0, agreement: 1, since, isApart: true },
];

test.each(terminals)("agreements, on %s", async (name, terminal) => {
  const style = styleOf({ terminal }, "never");
  const options = { style, hasHeadings: true, nowMs: decidedMs };
  const lines = shadowLines({ items, total: totalOf(items) }, options);
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(`shadow-${name}.txt`);
  expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(terminal.columns ?? 0);
});

test("in a pipe each row is one line with all columns, and the sentence below is wrapped", () => {
  const options = { style: styleOf({ terminal: pipe }, "never"), hasHeadings: true, nowMs: decidedMs };
  const lines = shadowLines({ items, total: totalOf(items) }, options);
  expect(lines[0]).toMatch(/ FIRST STEP +OURS +THEIRS +AT$/);
  expect(lines[items.length]).toMatch(/^web\/new /);
  for (const line of lines.slice(items.length + 1)) expect(widthOf(line)).toBeLessThanOrEqual(80);
});
