import { manualClock } from "@plimsoll/component-base/testing";
import type { KubeClient, KubeRequest } from "@plimsoll/kube";
import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { createBudget } from "../../src/budget/budget.ts";

const hpas = "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers";
const events = "/apis/events.k8s.io/v1/namespaces/shop/events";

function setUp(writesPerSecond: number) {
  const clock = manualClock(0);
  const begun: string[] = [];
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const writes = { writesPerSecond, refreshesPerSecond: 1, atOnce: 4 };
  const budget = createBudget(
    { scaleReadsAtOnce: 1, metricsReadsAtOnce: 1, writes },
    { clock, registry: new Registry(), log },
  );
  const client = {
    request: async ({ path }: KubeRequest) => void begun.push(path),
  } as unknown as KubeClient;
  const writing = budget.writing(client);
  return { clock, begun, write: (path: string) => void writing.request({ method: "PATCH", path }) };
}

test("scales and bounds go before events and statuses, whoever writes them", async () => {
  const { clock, begun, write } = setUp(2);
  const scales = ["/apis/apps/v1/namespaces/shop/deployments/web/scale", `${hpas}/web`];
  const cron = "/apis/autoscaling.alibabacloud.com/v1beta1/namespaces/shop/cronhorizontalpodautoscalers/web";
  const reports = [
    events,
    `${hpas}/web/status`,
    "/apis/autoscaling.plimsoll.dev/v1alpha1/namespaces/shop/workloadautoscalers/web/status",
    "/apis/autoscaling.plimsoll.dev/v1alpha1/namespaces/shop/workloadautoscalers/web",
    cron,
    `${cron}/status`,
  ];
  // The first one finds the budget unused.
  write(events);
  for (const path of [...reports, ...scales]) write(path);
  await clock.advance(20_000);
  expect(begun).toEqual([events, ...scales, ...reports]);
});
