import { expect, test } from "vitest";
import { rig, workload } from "../harness.ts";

async function entries(url: string): Promise<Readonly<Record<string, number>>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const found = text.matchAll(/^plimsoll_object_entries\{cache="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries(Array.from(found, ([, cache = "", size]) => [cache, Number(size)]));
}

test("what is kept by object is counted, and goes with its object", async () => {
  const { api, autoscaler, url } = await rig({ before: (api) => workload(api, "shop", { value: "20" }) });
  await autoscaler.sync();
  expect(await entries(url)).toMatchObject({
    objects_known: 1,
    objects_states: 1,
    objects_decisions: 1,
    objects_rows: 1,
    objects_selectors: 1,
    objects_targets: 1,
    objects_series: 1,
    evaluations_periods: 1,
  });
  const groups = ["schedules", "objects", "evaluations", "selectors", "bounds", "bounds_runs"];
  const names = Object.keys(await entries(url));
  expect(names.filter((name) => !groups.some((group) => name.startsWith(`${group}_`)))).toEqual([]);
  expect(groups.filter((group) => !names.includes(`${group}_queue`))).toEqual([
    "schedules",
    "objects",
    "bounds",
  ]);
  api.remove("horizontalpodautoscalers", "default", "shop");
  await expect
    .poll(async () => Object.entries(await entries(url)).filter(([, size]) => size > 0))
    .toEqual([]);
});
