import { queryObjects } from "node:v8";
import { expect, test } from "vitest";
import { createFirstSync } from "../../src/watch/first-sync.ts";

/** Collects garbage first. */
const promises = (): number => queryObjects(Promise, { format: "count" });

test.each(["waitForList", "waitForSync"] as const)(
  "1,000 callers of %s that leave, or come too late, leave nothing behind at a list that never ends",
  async (wait) => {
    const sync = createFirstSync();
    const leave = async (): Promise<void> => {
      const caller = new AbortController();
      const waited = sync[wait](caller.signal).catch(String);
      caller.abort(new Error("left"));
      const late = await sync[wait](caller.signal).catch(String);
      expect([await waited, late]).toEqual(["Error: left", "Error: left"]);
    };
    await leave();
    const before = promises();
    for (let i = 0; i < 1_000; i += 1) await leave();
    await new Promise((resolve) => setImmediate(resolve));
    expect(promises() - before).toBeLessThan(100);
  },
);

test("whoever waits gets the list, or its second failure; a refusal at once, until the list works", async () => {
  const sync = createFirstSync();
  const waits = sync.waitForList();
  sync.listFailed(new Error("first"), 1);
  sync.listFailed(new Error("second"), 2);
  await expect(waits).rejects.toThrow("second");
  await expect(sync.waitForList()).rejects.toThrow("second");
  sync.listFailed(new Error("third"), 3);
  await expect(sync.waitForList(new AbortController().signal)).rejects.toThrow("third");
  const synced = sync.waitForSync();
  sync.done();
  await Promise.all([synced, sync.waitForList(), sync.waitForList(new AbortController().signal)]);
});
