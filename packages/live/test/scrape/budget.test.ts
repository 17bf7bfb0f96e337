import { expect, test } from "vitest";
import { never, rate, rig, valueOf } from "./rig.ts";

const over = expect.stringContaining("read more than 200000 samples a second: use fewer queries");

test("a namespace whose queries read more than it may has errors, and no other one does", async () => {
  const pods = Array.from({ length: 100 }, (_, at) => `pod-${at}`);
  const { clock, metrics, query } = rig({ pods });
  // 600 samples each.
  const asked = Array.from({ length: 700 }, (_, at) => query(`${at} + ${rate}`));
  const other = query(rate, { namespace: "other" });
  for (const one of [...asked, other]) metrics.known(one);
  await clock.advance(5_900);
  const found = asked.map((one) => valueOf(metrics.known(one)));
  const served = found.filter((one) => Array.isArray(one)).length;
  expect(served).toBeGreaterThan(600);
  expect(found.slice(served)).toEqual(Array.from({ length: 700 - served }, () => over));
  expect(valueOf(metrics.known(other))).toEqual([1000]);
  // What is known costs nothing.
  expect(valueOf(metrics.known(asked[0] ?? other))).toEqual(found[0]);
  await clock.advance(2_000);
  expect(valueOf(await metrics.get(asked[699] ?? other, never))).toEqual([1699]);
});
