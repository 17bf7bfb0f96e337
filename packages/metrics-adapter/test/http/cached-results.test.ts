import { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { manualClock } from "@plimsoll/component-base/testing";
import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { openContext } from "../../src/http/request-context.ts";
import { createRouter } from "../../src/http/routes.ts";
import { pipeline } from "../../src/http/stage.ts";
import { deadline } from "../../src/http/stages/deadline.ts";
import { requestInfo } from "../../src/http/stages/request-info.ts";
import { negotiation, provider, responseCache } from "../../src/http/stages/stages.ts";
import { createTelemetry } from "../../src/telemetry/http.ts";
import { fakeEngine } from "./fakes.ts";

test.each([
  "/apis/custom.metrics.k8s.io/v1beta2/namespaces/ns/pods/*/m",
  "/apis/external.metrics.k8s.io/v1beta1/namespaces/ns/queue_depth",
  "/apis/metrics.k8s.io/v1beta1/nodes",
])("what a provider gives at once takes no promise, timer or abort signal: %s", (url) => {
  const engine = fakeEngine();
  const none = { ok: true, value: [] } as const;
  Object.assign(engine, { onCustom: () => none, onExternal: () => none, onNodes: () => none });
  const clock = manualClock(0);
  const telemetry = createTelemetry({
    registry: new Registry(),
    inFlight: () => ({ metrics: 0, federated: 0, system: 0 }),
  });
  const router = createRouter({ engine, nowMs: () => clock.nowMs() });
  const handle = pipeline(
    [
      requestInfo({ isAlwaysAllowed: () => false, router, telemetry }),
      deadline({ clock, telemetry }),
      negotiation,
      responseCache,
    ],
    provider,
  );
  const request = { method: "GET", url, headers: {} } as IncomingMessage;
  const response = new EventEmitter() as ServerResponse;
  const context = openContext(request, response, { nowMs: 0 });
  expect(handle(context)).toMatchObject({ type: "metrics", items: 0 });
  expect([clock.pendingTimers, response.eventNames(), context.controller]).toEqual([0, [], undefined]);
});
