// What `explain --diff` shows of two recorded decisions.
import { expect, test } from "vitest";
import { diffText } from "../../src/commands/explain/diff-text.ts";
import { settingChanges } from "../../src/commands/explain/setting-changes.ts";
import { plainStyle } from "../../src/output/style.ts";
import { decidedMs, recorded, shop } from "./inputs.ts";

const before = recorded({ ...shop, bounds: [2, 20] });
const now = recorded(shop);
if (before.decision === undefined) throw new Error("no decision");
const previous = { at: before.at, decision: before.decision };
const both = {
  ...now,
  previous: { ...previous, ...(before.record === undefined ? {} : { record: before.record }) },
};

test("settings that changed, and steps that differ", async () => {
  const { decision } = both;
  if (decision === undefined) throw new Error("no decision");
  const style = { style: plainStyle, nowMs: decidedMs };
  const text = diffText({ ...both, decision }, settingChanges(both), style);
  await expect(text).toMatchFileSnapshot("diff-shop.txt");
});

test("without the inputs of both decisions the traces show what they can", () => {
  expect(settingChanges({ ...both, previous })).toEqual([{ path: "spec.maxReplicas", before: 20, now: 40 }]);
});

test("without a decision before there is nothing to compare", () => {
  expect(settingChanges(now)).toBeUndefined();
});
