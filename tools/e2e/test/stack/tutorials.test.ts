// The tutorials on a machine: every command of each page, in order, from the clone or with the archive of a release.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileFolder } from "@plimsoll/testbed/world";
import { beforeAll, expect, test } from "vitest";
import { local } from "../fixture.ts";
import { releaseLimitMs, sharedRelease, tutorialArchive, tutorialClone } from "../released.ts";
import { isFromClone, isProgram, type Material, openTutorial } from "../tutorial-page.ts";

const folder = fileFolder();

let clone: Material;
let archive: Material | undefined;
beforeAll(async () => {
  clone = tutorialClone(join(folder, "clone"));
  if (tutorials.every(({ page }) => isFromClone(textOf(page)))) return;
  archive = tutorialArchive(await sharedRelease(), join(folder, "archive"));
}, releaseLimitMs);

function textOf(page: string): string {
  return readFileSync(local(`../../../docs/${page}`), "utf8");
}

interface Tutorial {
  readonly page: string;
  /** How many commands stay in the foreground. */
  readonly programs: number;
  /** What some command prints. */
  readonly prints: readonly (string | RegExp)[];
}

const tutorials: readonly Tutorial[] = [
  { page: "tutorial.md", programs: 4, prints: ['"value":"90"', /queue_messages calls for 3/] },
  {
    page: "tutorial-packets.md",
    programs: 4,
    prints: ['"kind":"Pod"', /packets-per-second \(Pods\).* 3 {2}decides/],
  },
  {
    page: "tutorial-live.md",
    programs: 3,
    prints: [/query\[0\] +[\d.]+ +1000 each .*decides/],
  },
  {
    page: "tutorial-one-object.md",
    programs: 4,
    prints: [
      'sum(shop_requests_per_second{service="shop",namespace="default"})',
      "examples/tutorial-query/shop.yaml: 1 query of WorkloadAutoscalers, no problems",
      /query\[0\] +[\d.]+ +100 each .*decides/,
      /NamespaceMatcher/,
      'workloadautoscaler.autoscaling.plimsoll.dev "shop" deleted',
    ],
  },
  {
    page: "tutorial-ingress.md",
    programs: 4,
    prints: ['"kind":"Service"', /requests-per-second calls for 3/, '"kind":"HTTPRoute"'],
  },
  {
    page: "tutorial-queue.md",
    programs: 4,
    prints: [
      "workloadautoscaler.autoscaling.plimsoll.dev/order-worker condition met",
      /SuccessfulRescale.*New size: 0;/,
      /SuccessfulRescale.*New size: 1;/,
    ],
  },
  {
    page: "tutorial-schedules.md",
    programs: 4,
    prints: [
      "ScheduleStarted",
      "ScheduleEnded",
      /queue_messages \(External\) +90 +30 each +0\.6 +3 {2}decides/,
    ],
  },
  {
    page: "tutorial-prometheus-adapter.md",
    programs: 5,
    prints: ["services/requests-per-second", /deployment.apps "prometheus-adapter" deleted/],
  },
  { page: "tutorial-keda.md", programs: 5, prints: ["s0-prometheus", "default.order-worker.s0"] },
  {
    page: "tutorial-cronhpa.md",
    programs: 2,
    prints: [/executed successfully.*desired replicas:3\./, "0a64d69e-0a3c-4c9b-8f38-5a4f86ac2b4c"],
  },
];

/** Three pages at once on a machine that others share: each waits most of the time. */
const limitMs = 240_000;

test.concurrent.for(tutorials)(
  "$page",
  { timeout: limitMs },
  async ({ page: name, programs, prints }, { onTestFinished }) => {
    const page = await openTutorial(name, isFromClone(textOf(name)) ? clone : (archive ?? clone));
    onTestFinished(() => page.close());
    const started = page.blocks.filter(isProgram);
    expect(started).toHaveLength(programs);
    expect(started.filter((block) => block.includes("\n"))).toEqual([]);
    const all = await page.carryOut();
    for (const text of prints) expect(all).toMatch(text);
    // The autoscaler serves its decisions where a page explains them.
    expect(all).not.toContain("status only");
    // What the page shows of an output is what was printed.
    const shown = [...page.text.matchAll(/^```text\n([^]*?)^```$/gm)].map(([, block = ""]) => block);
    const sameAge = all.replaceAll(/recorded \d+s ago/g, "recorded 0s ago");
    for (const block of shown) expect(sameAge).toContain(block);
  },
);

/** `cluster/tutorial.test.ts`, and `stack/timed/backtest-demo.test.ts` with a test of the CLI's. */
const elsewhere = ["tutorial-cluster.md", "tutorial-backtest.md"];

test("every tutorial of docs is carried out", () => {
  const pages = globSync("tutorial*.md", { cwd: local("../../../docs") });
  expect(pages.toSorted()).toEqual([...tutorials.map(({ page }) => page), ...elsewhere].toSorted());
});
