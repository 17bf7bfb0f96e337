// What `explain --diff` shows of two recorded decisions.
import { expect, test } from "vitest";
import { diffText } from "../../src/explain/diff-text.ts";
import { settingChanges } from "../../src/explain/setting-changes.ts";
import { plainStyle } from "../../src/output/style.ts";
import { decidedMs, recorded, shop } from "./inputs.ts";

const before = recorded({ ...shop, bounds: [2, 20] });
const now = recorded(shop);
const both = {
  ...now,
  ...(before.decision === undefined ? {} : { previous: before.decision }),
  ...(before.record === undefined ? {} : { previousRecord: before.record }),
};

test("settings that changed, and steps that differ", async () => {
  const { decision, previous } = both;
  const changes = settingChanges(both);
  if (decision === undefined || previous === undefined || changes === undefined)
    throw new Error("no decision");
  const compared = { previous, previousAt: now.at, now: decision, nowAt: now.at, changes };
  await expect(diffText(compared, { style: plainStyle, nowMs: decidedMs })).toMatchFileSnapshot(
    "diff-shop.txt",
  );
});

test("without the inputs of both decisions the traces show what they can", () => {
  const { previousRecord: _, ...withoutInputs } = both;
  expect(settingChanges(withoutInputs)).toEqual([{ path: "spec.maxReplicas", before: 20, now: 40 }]);
});

test("without a decision before there is nothing to compare", () => {
  expect(settingChanges(now)).toBeUndefined();
});
