import { readFile } from "node:fs/promises";
import { loadFederation } from "@plimsoll/federation";
import { expect, onTestFinished, test } from "vitest";
import { askAs, startAdapter } from "../http/harness.ts";
import { adapterOf, federate, startBackend } from "./backends.ts";

const list = '{"kind":"ExternalMetricValueList","items":[{"metricName":"s0-rabbitmq-jobs","value":"12"}]}';

test("the page's file hands the requests of KEDA's autoscalers on, and those alone", async () => {
  const page = await readFile(new URL("../../../../docs/federation.md", import.meta.url), "utf8");
  const [one = "", allFields = ""] = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(([, yaml = ""]) => yaml);
  const keda = await startBackend(adapterOf("external.metrics.k8s.io", ["externalmetrics"], list));
  const here = one
    .replace(/service: \{.*\}/, `url: https://127.0.0.1:${keda.port}`)
    .replace("/etc/plimsoll/federation/keda.crt", "/ca\n  tokenFile: /token")
    .replace("backends:\n", "");
  const harness = await startAdapter({ federation: (seams) => federate(here, keda.caPem, seams) });
  onTestFinished(() => harness.adapter.stop());
  const get = (tail: string) =>
    askAs(harness, `/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/${tail}`);
  const selector = "labelSelector=scaledobject.keda.sh%2Fname%3Djobs";
  expect((await get(`s0-rabbitmq-jobs?${selector}`)).text).toBe(list);
  expect((await get("queue_depth")).json().items[0].value).toBe("30");
  expect(keda.requests.filter(({ path }) => path.includes("/namespaces/")).map(({ path }) => path)).toEqual([
    `/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/s0-rabbitmq-jobs?${selector}`,
  ]);
  expect(loadFederation(allFields)).toMatchObject({ ok: true, warnings: [] });
});
