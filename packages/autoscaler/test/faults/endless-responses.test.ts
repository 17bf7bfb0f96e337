import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { type Reply } from "../fake-api.ts";
import { rig } from "../harness.ts";
import { breakAll, conditionOf, counts, longTimeoutMs, mebibyte, raw } from "./broken-metrics.ts";
import { metricKinds, podsOfEach, putKinds } from "./metric-kinds.ts";

/** Sends without end. */
function endless(head: string, filler: Buffer): Reply {
  return raw((response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write(head);
    const more = (): void => {
      while (!response.destroyed) if (!response.write(filler)) break;
    };
    response.on("drain", more);
    more();
  });
}

/** The connections that this process opens from now on. */
function connections(): readonly Socket[] {
  const sockets: Socket[] = [];
  const note = (message: unknown) => sockets.push((message as { readonly socket: Socket }).socket);
  subscribe("undici:client:connected", note);
  onTestFinished(() => {
    unsubscribe("undici:client:connected", note);
  });
  return sockets;
}

test("a response without end is dropped at the limit for a metrics response, and the connection with it", async () => {
  const opened = connections();
  const { api, autoscaler } = await rig({
    isOverHttp: true,
    config: { requestTimeoutMs: longTimeoutMs },
    before(api) {
      putKinds(api);
      breakAll(api, () => endless('{"items":[', Buffer.alloc(mebibyte, " ")));
    },
  });
  await autoscaler.sync();
  expect(counts(api)).toEqual(metricKinds.map(() => podsOfEach));
  for (const { name } of metricKinds) {
    expect(conditionOf(api, name, "ScalingActive")).toMatchObject({
      status: "False",
      message: expect.stringMatching(/longer than 16777216 bytes|the largest of too many large responses/),
    });
  }
  // What was read, whatever the other side has sent into the buffers between the two.
  const dropped = opened.filter(({ bytesRead }) => bytesRead > mebibyte);
  expect(dropped.length).toBeGreaterThan(0);
  expect(Math.max(...dropped.map(({ bytesRead }) => bytesRead))).toBeLessThan(17 * mebibyte);
  expect(dropped.filter(({ destroyed }) => !destroyed)).toEqual([]);
});
