import { parseSelector } from "@plimsoll/kube";
import { manualClock } from "@plimsoll/kube/testing";
import { expect, test } from "vitest";
import { batchCall } from "../../src/metrics-client/namespace-batch.ts";
import { resourceCall } from "../../src/metrics-client/resource.ts";
import { shareForMoment } from "../../src/metrics-client/share.ts";

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
  ],
};

test.each(["app=a", "app=b", "app in (a,b),tier=web", "tier", "app=c", "app!=a"])(
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

test("items without labels cannot be told apart: everybody asks for himself", () => {
  expect(
    batchCall("default")
      .read({ items: [item("a-0")] })
      .select(parseSelector("app=a")),
  ).toBeUndefined();
});

test("an answer is shared for a moment, a failure is not", async () => {
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
