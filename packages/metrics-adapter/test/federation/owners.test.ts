// A metric that several adapters have keeps its owner, whichever of them is down.
import { freePort } from "@plimsoll/component-base/testing";
import { until } from "@plimsoll/testbed/world";
import { expect, onTestFinished, test } from "vitest";
import { askAs, startAdapter } from "../http/harness.ts";
import { adapterOf, entry, federate, startBackend } from "./backends.ts";

const external = "external.metrics.k8s.io";
const metric = `/apis/${external}/v1beta1/namespaces/shop/lag`;

function valueOf(value: string): string {
  return JSON.stringify({ kind: "ExternalMetricValueList", items: [{ metricName: "lag", value }] });
}

test("the second backend does not answer for a metric that may be the first one's, which is down while we start", async () => {
  const second = await startBackend(adapterOf(external, ["lag"], valueOf("30")));
  const port = await freePort();
  const harness = await startAdapter({
    federation: (seams) =>
      federate(entry("first", port, external) + entry("second", second.port, external), second.caPem, seams),
  });
  onTestFinished(() => harness.adapter.stop());
  const isListed = async () => (await askAs(harness, `/apis/${external}/v1beta1`)).text.includes("lag");
  await until("the second is listed", isListed);
  const answer = await askAs(harness, metric);
  expect(answer.code).toBe(503);
  expect(answer.json().message).toMatch(/^the metric lag may belong to backend first \(.*ECONNREFUSED/);
  expect(second.requests.filter(({ path }) => path.includes("namespaces"))).toEqual([]);
});
