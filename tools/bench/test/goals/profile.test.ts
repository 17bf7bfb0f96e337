import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { testFolder } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { summarizeProfiles } from "../../src/goals/profile.ts";

test("own time is added by function over all profiles, without idle time", () => {
  const folder = testFolder();
  const nodes = ["(idle)", "parse", "", "parse"].map((functionName, id) => ({
    id,
    callFrame: { functionName },
  }));
  const profile = JSON.stringify({ nodes, samples: [0, 1, 2, 3], timeDeltas: [1000, 20, 10, 20] });
  writeFileSync(join(folder, "one.cpuprofile"), profile);
  writeFileSync(join(folder, "two.cpuprofile"), profile);
  expect(summarizeProfiles(folder)).toEqual(["80.0 % parse", "20.0 % (anonymous)"]);
  expect(summarizeProfiles(join(folder, "none"))).toEqual([]);
});
