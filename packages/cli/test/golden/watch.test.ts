// The lines of `watch`, and the screens of `top`, on each terminal.
import { countsOf, type SummaryRow } from "@plimsoll/decisions";
import { expect, test } from "vitest";
import { type FrameData, frameLines } from "../../src/commands/top/frame.ts";
import { filtered, firstState, type TopState } from "../../src/commands/top/state.ts";
import { watchLines } from "../../src/commands/watch/line.ts";
import { rowOf } from "../../src/decisions/summary-row.ts";
import { styleOf } from "../../src/output/style.ts";
import { widthOf } from "../../src/output/width.ts";
import { billing, cpuSamples, decidedMs, importer, recorded, shop } from "./inputs.ts";
import { terminals } from "./terminals.ts";

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

const names = Array.from({ length: 30 }, (_, index) => `object-${String(index).padStart(2, "0")}`);
const many = [
  rowOf(recorded(importer)),
  rowOf(recorded(shop)),
  rowOf(recorded(billing)),
  ...names.map((name) =>
    rowOf(recorded({ ...shop, name, samples: [cpuSamples(name, 8, 300), { values: [{ value: "90" }] }] })),
  ),
];

function frame(state: TopState, terminal: (typeof terminals)[number][1], more: Partial<FrameData> = {}) {
  const style = styleOf({ terminal }, "never");
  const data: FrameData = {
    rows: filtered(many, state.filter),
    total: many.length,
    counts: countsOf(many),
    namespace: undefined,
    isWide: false,
    intervalText: "5s",
    readAtMs: decidedMs,
    nowMs: decidedMs,
    error: undefined,
    explanation: undefined,
    ...more,
  };
  return frameLines(state, data, { style, rows: 24 });
}

const shown = (lines: readonly string[]): string =>
  `${lines.map((line) => line.replaceAll("\u001b[7m", "").replaceAll("\u001b[27m", "")).join("\n")}\n`;

test.each(terminals)("the first screen, on %s", async (name, terminal) => {
  const lines = frame(firstState("name"), terminal);
  await expect(shown(lines)).toMatchFileSnapshot(`top-${name}.txt`);
  expect(lines.length).toBeLessThanOrEqual(24);
  for (const line of shown(lines).split("\n"))
    expect(widthOf(line)).toBeLessThanOrEqual(terminal.columns ?? 0);
});

test.each([0, 1, 2, 17, 32])("the selected row %i is on the screen, whatever stands above it", (selected) => {
  for (const [, terminal] of terminals) {
    const lines = frame({ ...firstState("name"), selected }, terminal);
    const chosen = lines.filter((line) => line.startsWith("\u001b[7m> "));
    expect(chosen).toHaveLength(1);
    expect(chosen[0]).toContain(many[selected]?.name);
    expect(lines.length).toBeLessThanOrEqual(24);
  }
});

const narrow = { isTty: true, columns: 80, isUtf8: true };

test("a filter leaves the matching rows, and is shown", () => {
  const text = shown(frame({ ...firstState("held"), mode: "filter", filter: "PAY/" }, narrow));
  expect(text).toContain("sort held  filter /PAY/");
  expect(text).toContain("> pay");
  expect(text).not.toContain("batch");
});

test("an error stands below rows that are older, and a name cannot control the terminal", () => {
  const text = shown(
    frame(firstState("name"), narrow, {
      error: "the API server \u001b[31mis gone",
      rows: [{ ...rowOf(recorded(shop)), name: "a\u001b[2Jb" }],
    }),
  );
  expect(text).toContain("error: the API server \\x1b[31mis gone");
  expect(text).toContain("a\\x1b[2Jb");
});
