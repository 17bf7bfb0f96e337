// A search as it was looked at: text on terminals, Markdown, a patch with its evidence, the picture.
import { expect, test } from "vitest";
import { renderFront } from "../../src/commands/tune/front-svg.ts";
import { markdownReport } from "../../src/commands/tune/markdown.ts";
import { patchText } from "../../src/commands/tune/patch-text.ts";
import { textReport } from "../../src/commands/tune/report.ts";
import { csvReport } from "../../src/commands/tune/rows.ts";
import { plainStyle, styleOf } from "../../src/output/style.ts";
import { madeDocument, madeResult } from "../tune/made-document.ts";
import { terminals } from "./terminals.ts";

test.each(terminals)("the report at %s", async (name, terminal) => {
  const text = textReport(madeDocument, 41_000, styleOf({ terminal }, "never"));
  await expect(text).toMatchFileSnapshot(`tune-${name}.txt`);
});

test("Markdown", async () => {
  await expect(markdownReport(madeDocument)).toMatchFileSnapshot("tune.md");
});

test("a patch", async () => {
  const texts = madeResult.recommendations.map((one, index) =>
    patchText(one, madeDocument, madeResult, `tune-shop/${index + 1}.patch.yaml`),
  );
  await expect(texts.join("---\n")).toMatchFileSnapshot("tune-patches.yaml");
});

test("the picture, of less than 200 kB", async () => {
  const svg = renderFront(madeDocument);
  expect(svg.length).toBeLessThan(200_000);
  expect(svg).not.toMatch(/NaN|Infinity|undefined/);
  await expect(svg).toMatchFileSnapshot("tune-front.svg");
});

const kept = { ...madeResult, recommendations: [], split: { ...madeResult.split, isThin: true } };

test("where nothing is recommended, the answer is to keep what there is", () => {
  const document = { ...madeDocument, report: kept };
  const text = textReport(document, 125_000, plainStyle);
  expect(text).toContain(", 2 min 5 s; today 364 pod-h");
  expect(text).toMatch(/^= {2}— .* keep the current spec$/m);
  expect(text).toMatch(
    /^keep the current spec: of 256 candidates 1 reached the test days, and none of them costs less and meets the objective/m,
  );
  expect(text).toContain("\nthin: fewer than 14 whole days");
  expect(markdownReport(document)).toMatch(/^keep the current spec: .* costs less and meets the objective/m);
  expect(csvReport(document)).not.toMatch(/,1,|,2,/);
});

test.each([
  [[40, 70], "target 70 is the highest that was tried: --space can go further"],
  [[70, 90], "target 70 is the lowest that was tried: --space can go further"],
])("a target at the edge of the space %j is said", (values, said) => {
  const report = { ...madeResult, space: [{ parameter: "target", values }] } as const;
  const text = textReport({ ...madeDocument, report }, 41_000, plainStyle);
  expect(text.replaceAll(/\s+/g, " ")).toContain(said);
  expect(textReport(madeDocument, 41_000, plainStyle)).not.toContain("that was tried");
});

test("next week's floors, and why there are none", () => {
  const schedules = [
    {
      name: "office",
      timeZone: "Europe/Berlin",
      start: "30 7 * * 1-5",
      end: "0 18 * * 1-5",
      minReplicas: 12,
    },
  ];
  const forecast = {
    ok: true,
    quantile: 0.9,
    grouping: "weekday-weekend",
    schedules,
    slots: [],
    loss: 0.8,
    lossOfWeekBefore: 1.1,
  } as const;
  expect(textReport({ ...madeDocument, forecast }, 0, plainStyle)).toContain(
    [
      "FORECAST    next week's floors, quantile 0.9 by weekdays and weekend: pinball loss 0.80 pods, as the week before 1.10",
      '            office: at least 12 from "30 7 * * 1-5" to "0 18 * * 1-5" (Europe/Berlin)',
      "",
    ].join("\n"),
  );
  const none = { ok: false, message: "15 whole days" } as const;
  expect(textReport({ ...madeDocument, forecast: none }, 0, plainStyle)).toContain(
    "FORECAST    none: 15 whole days\n",
  );
});

test("a refusal has its reason, what is left out, and the control run", () => {
  const { report: _, ...bare } = madeDocument;
  const leftOut = [{ date: "2026-11-03", why: "has gaps" }];
  const refusal = { kind: "too-few-days", message: "3 whole days", days: { whole: 3, leftOut } } as const;
  const document = { ...bare, refusal };
  expect(textReport(document, 0, plainStyle)).toMatch(
    /^default\/shop: no search: 3 whole days\nleft out: 2026-11-03 has gaps\n/,
  );
  expect(markdownReport(document)).toContain("default/shop: no search: 3 whole days\n");
  expect(csvReport(document).trimEnd().split("\n")).toHaveLength(1);
  expect(renderFront(document)).toContain("3 whole days");
});

test("CSV has a row for each specification that was simulated on all training days", () => {
  expect(csvReport(madeDocument)).toBe(
    [
      "candidate,front,recommended,podHours,shortPodSeconds,hotSeconds,events,reversals,peak,saved,what",
      "40,true,,306,588,20,58,6,58,0.159341,target 60 → 75",
      '12,true,1,321,114,20,58,5,58,0.118132,"target 60 → 70, floor 12 on MON–FRI 07:30–18:00"',
      "31,true,2,341,108,20,58,6,58,0.063187,scale-down window 300 → 180 s",
      "44,false,,363,132,20,58,6,58,0.002747,minReplicas 2 → 1",
      "0,false,,366,132,20,58,6,58,-0.005495,as it is today",
      "",
    ].join("\n"),
  );
});

test("after an early interruption nothing of today is known", () => {
  const none = { ...madeResult.today.training, days: 0, podHours: 0, shortPodSeconds: 0, reversals: 0 };
  const { validation: _, test: __, ...today } = madeResult.today;
  const early = {
    ...madeResult,
    today: { ...today, training: none },
    front: [],
    recommendations: [],
    rejected: [],
  };
  const document = { ...madeDocument, report: { ...early, isComplete: false } };
  const text = textReport(document, 0, plainStyle);
  expect(text).toContain("; today is unknown\n");
  expect(text).toMatch(/^= +— +\? +\? +\? +— +keep the current spec$/m);
  expect(text).toContain("\ninterrupted before any candidate passed all checks\n");
  expect(renderFront(document)).not.toMatch(/NaN|Infinity/);
});
