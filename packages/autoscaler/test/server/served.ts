// The decision API of one process over a real socket, with rows that a test sets.
import { createServer, get as httpGet, type IncomingMessage } from "node:http";
import { systemClock } from "@plimsoll/component-base";
import type { PageFiles } from "@plimsoll/component-base/page";
import { manualClock } from "@plimsoll/component-base/testing";
import type { SummaryRow } from "@plimsoll/decisions";
import { createServeDecisions, createStreams } from "@plimsoll/decisions/serve";
import { requestLimits } from "@plimsoll/kube/serving";
import { listen, silentLog } from "@plimsoll/testbed/world";
import { Registry } from "prom-client";
import { onTestFinished, vi } from "vitest";
import { createRows, isSameRow } from "../../src/decisions/rows.ts";
import type { Holders } from "../../src/leadership/coordination.ts";
import { createCallers } from "../../src/server/callers.ts";
import type { EventIds } from "../../src/server/event-ids.ts";
import { type Guard, openGuard } from "../../src/server/guard.ts";
import { createPeerClient } from "../../src/server/relay/peer-client.ts";
import { createRelay } from "../../src/server/relay/relay.ts";
import type { RequiredAccess } from "../../src/server/required-access.ts";
import { createRoutes } from "../../src/server/routes.ts";
import { createRowStreams } from "../../src/server/row-streams.ts";
import { createMetricsPage, type MetricsPage } from "../../src/telemetry/metrics-page.ts";

export function row(name: string, more: Partial<SummaryRow> = {}): SummaryRow {
  return {
    resource: "horizontalpodautoscalers",
    namespace: "default",
    name,
    uid: `uid-${name}`,
    target: { kind: "Deployment", name },
    mode: "active",
    min: 1,
    max: 10,
    current: 3,
    desired: 3,
    proposed: 3,
    action: "hold",
    heldBy: "none",
    decidedBy: 0,
    notBefore: null,
    at: "2026-11-22T10:00:00.000Z",
    since: "2026-11-22T09:00:00.000Z",
    metrics: [{ name: "cpu", value: "60%", target: "60%", ratio: 1, replicas: 3 }],
    ...more,
  };
}

export function keyOfRow({ namespace, name }: Pick<SummaryRow, "namespace" | "name">): string {
  return `${namespace}/${name}`;
}

/** Everything may be read by the user in the header "x-user", as far as `may` says. */
export function guardBy(may: (user: string, access: RequiredAccess) => boolean): Guard {
  return {
    identify(request) {
      const user = String(request.headers["x-user"] ?? "");
      const failure = { code: 403, reason: "Forbidden", message: `${user} may not` };
      return Promise.resolve({
        name: user,
        check: (required) => Promise.resolve(required.map((one) => (may(user, one) ? undefined : failure))),
      });
    },
  };
}

const self: Holders = { isSelf: true, others: [], silent: [], vacant: undefined };

/** Ids that a test can write. */
const plainIds: EventIds = {
  of: (version) => `one-${version}`,
  versionOf: (id) => (/^one-\d+$/.test(id) ? Number(id.slice(4)) : undefined),
};

export interface ServedOptions {
  readonly guard?: Guard;
  readonly holders?: () => Holders;
  readonly ids?: EventIds;
  readonly page?: PageFiles;
  readonly metrics?: MetricsPage;
  readonly isOpen?: (path: string) => boolean;
}

export async function served(options: ServedOptions = {}) {
  const clock = manualClock(Date.parse("2026-11-22T10:00:00Z"));
  const rows = createRows(isSameRow);
  const onSlow = vi.fn();
  const ids = options.ids ?? plainIds;
  const streams = createStreams({
    clock,
    most: requestLimits.streams,
    mostOfOne: requestLimits.streamsOfOneUser,
    onSlow,
  });
  const token = {
    forPod: () => Promise.resolve("relay"),
    isOurs: (shown: string) => Promise.resolve(shown === "relay"),
  };
  const app = createRoutes({
    readiness: () => [],
    clock: systemClock,
    metrics: options.metrics ?? createMetricsPage(new Registry(), []),
    decisions: { of: () => [], latest: () => [], records: () => [], rows },
    hasInputs: true,
    streams,
    serve: createServeDecisions(streams),
    changes: createRowStreams({ rows, ids, clock }),
    callers: createCallers(options.guard ?? openGuard, token),
    relay: createRelay({
      holders: options.holders ?? (() => self),
      peers: createPeerClient(systemClock),
      token,
    }),
    shadow: () => {
      throw new Error("no call is expected");
    },
    isOpen: options.isOpen ?? (() => false),
    page: options.page,
    log: silentLog,
  });
  const server = createServer(app);
  const { host } = await listen(server);
  onTestFinished(() => streams.endAll());
  const url = `http://${host}`;
  return {
    app,
    url,
    rows,
    clock,
    streams,
    onSlow,
    put: (one: SummaryRow) => rows.put(keyOfRow(one), one),
    stream: (path = "/apis/decisions/v1/stream", headers: Readonly<Record<string, string>> = {}) =>
      openStream(`${url}${path}`, headers),
  };
}

export interface StreamEvent {
  readonly event: string;
  readonly id?: string;
  readonly data: unknown;
}

/** An open stream, and the events that came so far. */
export interface TestStream {
  readonly code: number;
  readonly response: IncomingMessage;
  readonly events: StreamEvent[];
  readonly isEnded: () => boolean;
}

export function openStream(url: string, headers: Readonly<Record<string, string>> = {}): Promise<TestStream> {
  return new Promise((resolve, reject) => {
    const request = httpGet(url, { headers, agent: false }, (response) => {
      const events: StreamEvent[] = [];
      let rest = "";
      let isEnded = false;
      response.setEncoding("utf8");
      response.on("data", (part: string) => {
        const blocks = `${rest}${part}`.split("\n\n");
        rest = blocks.pop() ?? "";
        for (const block of blocks) {
          const parsed = eventOf(block);
          if (parsed !== undefined) events.push(parsed);
        }
      });
      response.on("close", () => (isEnded = true));
      response.on("error", () => (isEnded = true));
      resolve({ code: response.statusCode ?? 0, response, events, isEnded: () => isEnded });
    });
    request.on("error", reject);
    onTestFinished(() => void request.destroy());
  });
}

function eventOf(block: string): StreamEvent | undefined {
  const field = (name: string) =>
    block
      .split("\n")
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2);
  const [event, id, data] = [field("event"), field("id"), field("data")];
  if (event === undefined) return undefined;
  return { event, ...(id === undefined ? {} : { id }), data: JSON.parse(data ?? "null") as unknown };
}
