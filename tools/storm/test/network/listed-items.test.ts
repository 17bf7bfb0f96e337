import { expect, test } from "vitest";
import type { ItemFault } from "../../src/network/faults.ts";
import { handOn } from "../../src/network/listed-items.ts";

const item = (name: string) => ({ metadata: { namespace: "team-a", name } });
const list = {
  apiVersion: "v1",
  kind: "PodList",
  metadata: { resourceVersion: "7" },
  items: [item("a"), item("b")],
};

function receive(fates: Readonly<Record<string, ItemFault>>, maxBytes = 1_000_000) {
  const items: unknown[] = [];
  const unread: unknown[] = [];
  const sink = {
    onBytes(bytes: number) {
      if (bytes > maxBytes) throw new Error("the page is too long");
    },
    onItem: (one: object, _: number, type: object) => void items.push({ ...type, ...one }),
    onUnread: (one: object) => void unread.push(one),
  };
  const rest = handOn(
    list,
    { maxItemBytes: 10_000, wholeBytes: 0, begin: () => sink },
    ({ name }) => fates[name],
  );
  return { items, unread, rest };
}

test("items are handed on with the type of the list, which comes without them", () => {
  const { items, rest, unread } = receive({});
  expect(items).toEqual([item("a"), item("b")].map((one) => ({ apiVersion: "v1", kind: "Pod", ...one })));
  expect(rest).toEqual({ apiVersion: "v1", kind: "PodList", metadata: { resourceVersion: "7" } });
  expect(unread).toEqual([]);
});

test("an item that is too large or garbage is not read, and a page that is too long ends the request", () => {
  expect(receive({ a: { bytes: 20_000 }, b: { bytes: 10, isGarbage: true } }).unread).toEqual([
    { namespace: "team-a", name: "a", bytes: 20_000, isTooLarge: true },
    { namespace: "team-a", name: "b", bytes: 10, isTooLarge: false },
  ]);
  expect(() => receive({ b: { bytes: 9000 } }, 10_000)).toThrow("the page is too long");
});
