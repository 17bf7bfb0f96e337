// The agreement with the built-in controller, and what the command makes of it.
import { expect, test } from "vitest";
import { recorded, shop } from "../golden/inputs.ts";
import { loggedOf, putDecisions, rowBody } from "./decisions.ts";
import { fakeCluster, nowMs, run } from "./fake-cluster.ts";
import { schemaErrors } from "./schema-errors.ts";
import { putWorkload, statusOf } from "./workload.ts";

const group = "/apis/explain.plimsoll.dev/v1";
const object = `${group}/namespaces/default/horizontalpodautoscalers/shop`;

function cluster(items: readonly object[]) {
  const fake = fakeCluster({ hasApiService: true });
  putWorkload(fake, { name: "shop", replicas: 8, usage: "170m", status: statusOf(8, { cpu: 36 }) });
  putDecisions(fake, group);
  fake.reply(`${group}/summary`, { items: [rowBody(recorded(shop))] });
  fake.reply(`${group}/shadow`, { total: {}, items });
  return fake;
}

const item = (agreed: number, differed: number, more: object = {}) => ({
  namespace: "default",
  name: "shop",
  agreed,
  differed,
  unsettled: 3,
  agreement: 1,
  since: "2026-11-22T08:00:02.000Z",
  isApart: false,
  ...more,
});
const lastDifference = { step: "metric", ours: "34%", theirs: "36%", at: "2026-11-22T09:59:47Z" };

interface MinAgreementCase {
  readonly agreed: number;
  readonly differed: number;
  readonly min: string;
  readonly code: number;
  readonly errors?: string;
}
const tooFew = (count: number) =>
  `error: --min-agreement: too few decisions compared (${count}); at least 100 are needed\n`;

test.each<MinAgreementCase>([
  { agreed: 9999, differed: 1, min: "99.9", code: 0 },
  { agreed: 999, differed: 1, min: "99.95", code: 2 },
  { agreed: 36, differed: 1, min: "99.9", code: 1, errors: tooFew(37) },
  { agreed: 0, differed: 0, min: "0", code: 1, errors: tooFew(0) },
])("--min-agreement: %j", async ({ agreed, differed, min, code, errors = "" }) => {
  const fake = cluster([item(agreed, differed)]);
  expect(await run(fake, ["shadow", `--min-agreement=${min}`])).toMatchObject({ code, errors });
});

test("only objects of the namespace count, or all with -A", async () => {
  const fake = cluster([item(100, 0), item(50, 50, { namespace: "web", name: "api" })]);
  expect((await run(fake, ["shadow", "--min-agreement=99"])).code).toBe(0);
  const all = await run(fake, ["shadow", "-A", "--min-agreement=99"]);
  expect(all.code).toBe(2);
  expect(all.out).toContain("2 objects: 75.0% of 200 compared decisions agree");
});

test("one object: its last difference beside both explanations", async () => {
  const fake = cluster([item(999, 1, { lastDifference })]);
  const explained = recorded(shop);
  fake.reply(object, { items: [loggedOf(explained, { at: lastDifference.at })] });
  const { code, out } = await run(fake, ["shadow", "shop"]);
  expect(code).toBe(0);
  expect(out).toContain("Last difference at 2026-11-22T09:59:47Z: metric, ours 34%, theirs 36%.");
  expect(out).toContain("Ours, at that time:\nStaying at 8 replicas: ");
  expect(out).toContain("The built-in controller's status, now:\n");
  expect(out).toContain("ScalingActive");
});

test("a difference whose decision is not kept any more stands beside the newest one", async () => {
  const fake = cluster([item(999, 1, { lastDifference: { ...lastDifference, at: "2026-11-22T08:30:00Z" } })]);
  expect((await run(fake, ["shadow", "shop"])).out).toContain("Ours, now:");
});

test("as a document, as its published schema describes it", async () => {
  const fresh = await run(cluster([item(0, 0)]), ["shadow", "-o", "json"]);
  expect(JSON.parse(fresh.out)).toMatchObject({ items: [{ agreement: null }] });
  expect(await schemaErrors("shadow.v1", JSON.parse(fresh.out))).toEqual([]);
  const fake = cluster([item(999, 1, { lastDifference })]);
  const { out } = await run(fake, ["shadow", "-o", "json"]);
  expect(await schemaErrors("shadow.v1", JSON.parse(out))).toEqual([]);
  expect(JSON.parse(out)).toMatchObject({
    schema: "plimsoll/shadow/v1",
    total: { objects: 1, agreed: 999, differed: 1, agreement: 99.9 },
    items: [{ name: "shop", agreement: 99.9, lastDifference }],
  });
});

test("nothing compared yet is said, and is no failure", async () => {
  expect(await run(cluster([]), ["shadow"])).toEqual({
    code: 0,
    out: "",
    errors: "nothing compared yet: wait for two periods\n",
  });
});

test.each([
  [
    ["shadow", "--via=none"],
    "error: no decisions endpoint (--via none); only an autoscaler in shadow compares\n",
  ],
  [
    ["shadow", "--min-agreement=high"],
    "error: --min-agreement high is not a percentage from 0 to 100: use a value such as 99.9\n",
  ],
  [
    ["shadow", "--min-agreement=101"],
    "error: --min-agreement 101 is not a percentage from 0 to 100: use a value such as 99.9\n",
  ],
])("%j cannot be done", async (args, errors) => {
  expect(await run(cluster([]), args)).toEqual({ code: 1, out: "", errors });
});

test("-w prints it again until it is interrupted", async () => {
  const interrupted = new AbortController();
  let waits = 0;
  const { out, code } = await run(cluster([item(999, 1)]), ["shadow", "-w"], {
    signal: interrupted.signal,
    clock: {
      nowMs: () => nowMs,
      after: (_, done) => {
        waits += 1;
        queueMicrotask(waits === 2 ? () => interrupted.abort(new Error("interrupted")) : done);
        return () => undefined;
      },
    },
  });
  expect(code).toBe(130);
  expect(out.match(/^default\/shop /gm)).toHaveLength(2);
});

test("-o name writes names that kubectl takes", async () => {
  const { out } = await run(cluster([item(999, 1, { name: "a\u001b[2Jb" })]), ["shadow", "-o", "name"]);
  expect(out).toBe("horizontalpodautoscaler.autoscaling/a\\x1b[2Jb\n");
});
