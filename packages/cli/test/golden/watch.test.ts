// The lines of `watch` on each terminal.
import type { SummaryRow } from "@plimsoll/decisions";
import { expect, test } from "vitest";
import { watchLines } from "../../src/commands/watch/line.ts";
import { rowOf } from "../../src/decisions/summary-row.ts";
import { styleOf } from "../../src/output/style.ts";
import { widthOf } from "../../src/output/width.ts";
import { billing, cpuSamples, decidedMs, importer, recorded, shop } from "./inputs.ts";
import { pipe, terminals } from "./terminals.ts";

/** After the window, and 33 % of CPU: the memory of the mock-up has nothing above 5 then. */
const free = rowOf({
  ...recorded({
    ...shop,
    samples: [cpuSamples("shop", 8, 165), { values: [{ value: "90" }] }],
    memory: { recommendations: [], scaleUpEvents: [], scaleDownEvents: [] },
  }),
});
const made: readonly SummaryRow[] = [
  rowOf(recorded(shop)),
  {
    ...free,
    at: "2026-11-22T10:04:32Z",
    current: 8,
    desired: 5,
    proposed: 5,
    action: "scale",
    heldBy: "none",
    notBefore: null,
  },
  rowOf(recorded(billing)),
  rowOf(recorded(importer)),
];

test.each(terminals)("decisions as lines, on %s", async (name, terminal) => {
  const style = styleOf({ terminal }, "never");
  const lines = made.flatMap((row) => watchLines(row, style, decidedMs));
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(`watch-${name}.txt`);
  expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(terminal.columns ?? 0);
});

test("in a pipe a decision is one line", () => {
  const style = styleOf({ terminal: pipe }, "never");
  const long = made.map((row) => ({
    ...row,
    metrics: row.metrics.map((metric) => ({ ...metric, name: "m".repeat(60) })),
  }));
  const lines = long.flatMap((row) => watchLines(row, style, decidedMs));
  expect(lines).toHaveLength(made.length);
  expect(Math.max(...lines.map(widthOf))).toBeGreaterThan(80);
});
