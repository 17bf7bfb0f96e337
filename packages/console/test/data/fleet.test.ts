import type { SummaryPage, SummaryRow } from "@plimsoll/decisions";
import { expect, test } from "vitest";
import type { Client, Result } from "../../src/data/client.ts";
import { createFleet } from "../../src/data/fleet.ts";
import { createWorld } from "../fixtures/world.ts";
import { manualClock } from "../manual-clock.ts";

const world = createWorld(0);
const [first, second] = world.rows;
if (first === undefined || second === undefined) throw new Error("the world has no rows");

function page(items: readonly SummaryRow[], more: Partial<SummaryPage> = {}): Result<SummaryPage> {
  return { ok: true, value: { items, total: items.length, counts: {}, lastEventId: "id-1", ...more } };
}

const failed: Result<never> = { ok: false, failure: { status: 503, reason: "Some", message: "no leader" } };

/** A client that gives one response after the other, and streams that are written by hand. */
function rig(pages: (() => Result<SummaryPage>)[], hasStream = true) {
  const asked: string[] = [];
  const streams: { send: (text: string) => void; close: () => void; headers: unknown }[] = [];
  const client = {
    get: (path: string) => {
      asked.push(path);
      const next = pages.shift();
      return Promise.resolve(next === undefined ? failed : next());
    },
    open: (_path: string, { headers }: { readonly headers?: unknown }) => {
      const encoder = new TextEncoder();
      const stream = new ReadableStream<Uint8Array>({
        start(controller) {
          streams.push({
            headers,
            send: (text) => controller.enqueue(encoder.encode(text)),
            close: () => controller.close(),
          });
        },
      });
      return Promise.resolve({ ok: true, value: stream });
    },
  } as unknown as Client;
  const clock = manualClock(1_000);
  const fleet = createFleet({ client, clock, hasStream: () => hasStream });
  return { asked, streams, clock, fleet };
}

/** What is pending is done when the macrotask queue is reached. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("pages follow each other, and the stream begins where the first ended", async () => {
  const { fleet, asked, streams } = rig([
    () => page([first], { continue: "next", total: 2 }),
    () => page([second], { total: 2, lastEventId: "id-2" }),
  ]);
  fleet.show("web", "name");
  await settled();
  expect(asked).toEqual([
    "apis/decisions/v1/summary?namespace=web&sort=name&limit=500",
    "apis/decisions/v1/summary?namespace=web&sort=name&limit=2500&continue=next",
  ]);
  expect([...fleet.data.value.rows.values()]).toEqual([first, second]);
  expect(streams[0]?.headers).toEqual({ "Last-Event-ID": "id-1" });
  streams[0]?.send(":\n\n");
  await settled();
  expect(fleet.state.value).toBe("live");
});

test("changed rows replace theirs, deleted ones go, and one of the same name stays", async () => {
  const { fleet, streams } = rig([() => page([first, second])]);
  fleet.show(undefined, "name");
  await settled();
  const changed = { ...first, current: first.current + 1 };
  const { resource, namespace, name } = second;
  streams[0]?.send(`event: rows\nid: x\ndata: ${JSON.stringify([changed])}\n\n`);
  streams[0]?.send(
    `event: deleted\ndata: ${JSON.stringify([{ resource, namespace, name, uid: "another" }])}\n\n`,
  );
  await settled();
  expect([...fleet.data.value.rows.values()]).toEqual([changed, second]);
  streams[0]?.send(
    `event: deleted\ndata: ${JSON.stringify([{ resource, namespace, name, uid: second.uid }])}\n\n`,
  );
  await settled();
  expect([...fleet.data.value.rows.values()]).toEqual([changed]);
  expect(fleet.data.value.total).toBe(1);
});

test("a stream that ends leaves polling, which says so and finds what is gone", async () => {
  const { fleet, streams, clock, asked } = rig([() => page([first, second]), () => page([second])]);
  fleet.show(undefined, "name");
  await settled();
  streams[0]?.close();
  await settled();
  expect(fleet.state.value).toBe("polling");
  clock.advance(15_000);
  await settled();
  expect(asked).toHaveLength(2);
  expect([...fleet.data.value.rows.values()]).toEqual([second]);
});

test("a reset reads the summary again", async () => {
  const { fleet, streams, clock } = rig([() => page([first]), () => page([second])]);
  fleet.show(undefined, "name");
  await settled();
  streams[0]?.send("event: reset\nid: y\ndata: {}\n\n");
  await settled();
  clock.advance(15_000);
  await settled();
  expect([...fleet.data.value.rows.values()]).toEqual([second]);
});

test("rows stay when a later request fails, and the failure goes with the next that does not", async () => {
  const { fleet, clock } = rig([() => page([first]), () => failed, () => page([first])], false);
  fleet.show(undefined, "name");
  await settled();
  expect(fleet.state.value).toBe("polling");
  clock.advance(15_000);
  await settled();
  expect([fleet.state.value, fleet.failure.value?.message]).toEqual(["failed", "no leader"]);
  expect(fleet.data.value.rows.size).toBe(1);
  clock.advance(15_000);
  await settled();
  expect([fleet.state.value, fleet.failure.value]).toEqual(["polling", undefined]);
});

test("another namespace forgets the rows of the one before", async () => {
  const { fleet } = rig([() => page([first]), () => page([second])], false);
  fleet.show("a", "name");
  await settled();
  fleet.show("b", "name");
  expect(fleet.data.value.rows.size).toBe(0);
  await settled();
  expect([...fleet.data.value.rows.values()]).toEqual([second]);
});
