import { manualClock } from "@plimsoll/component-base/testing";
import { parseSelector } from "@plimsoll/core/selector";
import { expect, test } from "vitest";
import { batchCall } from "../../src/metrics/namespace-batch.ts";
import { resourceCall } from "../../src/metrics/resource.ts";
import { momentOf, shareForMoment, shareForPass } from "../../src/metrics/share.ts";

const item = (name: string, labels?: object, namespace = "default") => ({
  metadata: { name, namespace, ...(labels === undefined ? {} : { labels }) },
  timestamp: "2030-01-01T00:00:00Z",
  window: "30s",
  containers: [{ name: "main", usage: { cpu: "50m" } }],
});

const body = {
  items: [
    item("a-0", { app: "a", tier: "web" }),
    item("a-1", { app: "a" }),
    item("b-0", { app: "b", tier: "web" }),
    item("x-0", { app: "a" }, "elsewhere"),
    item("without-labels-0"),
  ],
};

test.each(["app=a", "app=b", "app in (a,b),tier=web", "tier", "app=c", "app!=a", "!app"])(
  "out of a batch, %s gets what a call of its own would have got",
  (text) => {
    const selector = parseSelector(text);
    const own = resourceCall("default", text).read({
      items: body.items.filter(({ metadata }) =>
        selector.matches((metadata as { labels?: Readonly<Record<string, string>> }).labels),
      ),
    });
    expect(batchCall("default").read(body).select(selector)).toEqual(own);
  },
);

test("items without labels cannot be assigned to selectors: each object sends its own request", () => {
  expect(
    batchCall("default")
      .read({ items: [item("a-0")] })
      .select(parseSelector("app=a")),
  ).toBeUndefined();
});

test("a response is shared for a moment, a failure is not", async () => {
  const clock = manualClock(0);
  const share = shareForMoment(clock, 1000);
  let calls = 0;
  const call = () => Promise.resolve(++calls);
  expect(await Promise.all([share.run("k", call), share.run("k", call)])).toEqual([1, 1]);
  await clock.advance(999);
  expect(await share.run("k", call)).toBe(1);
  await clock.advance(1);
  expect(await share.run("k", call)).toBe(2);
  const fail = () => Promise.reject(new Error("down"));
  await expect(share.run("other", fail)).rejects.toThrow("down");
  expect(await share.run("other", call)).toBe(3);
});

test("a response is not taken by who wants a newer one; that one is shared again", async () => {
  const clock = manualClock(0);
  const share = shareForMoment(clock, momentOf(15_000));
  let calls = 0;
  const call = () => Promise.resolve(++calls);
  const seen: number[] = [];
  for (let second = 0; second < 4; second++) {
    seen.push(await share.run("k", call, momentOf(1000)));
    await clock.advance(1000);
  }
  expect(seen).toEqual([1, 2, 3, 4]);
  await clock.advance(1000);
  expect(await Promise.all([share.run("k", call), share.run("k", call, momentOf(1000))])).toEqual([5, 5]);
  await clock.advance(999);
  expect(await share.run("k", call)).toBe(5);
  expect(await share.run("k", call, momentOf(1000))).toBe(6);
  await clock.advance(1);
  expect(await share.run("k", call)).toBe(6);
});

test("within a pass a failure is shared by those who waited for it, and by no others", async () => {
  const share = shareForPass();
  const fail = () => Promise.reject(new Error("down"));
  const both = [share.run("k", fail), share.run("k", () => Promise.resolve(1))];
  for (const one of both) await expect(one).rejects.toThrow("down");
  expect(await share.run("k", () => Promise.resolve(2))).toBe(2);
});
