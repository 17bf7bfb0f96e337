import { expect, test } from "vitest";
import { projectWla } from "../../../src/objects/workload-autoscaler.ts";
import { targetsText } from "../../../src/reconcile/evaluate/targets-text.ts";

const object = (spec: object) => ({
  apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
  kind: "WorkloadAutoscaler",
  metadata: { name: "shop", namespace: "default" },
  spec: { scaleTargetRef: { kind: "Deployment", name: "shop" }, maxReplicas: 10, ...spec },
});
const wla = (spec: object) => projectWla(object(spec));
const metric = { name: "hits" };
const describedObject = { kind: "Ingress", name: "main" };

// The texts are those of `kubectl get hpa`.
test.each([
  [
    "cpu: 45%/60%",
    { type: "Resource", resource: { name: "cpu", target: { averageUtilization: 60 } } },
    { resource: { name: "cpu", current: { averageUtilization: 45, averageValue: "90m" } } },
  ],
  [
    "cpu: <unknown>/60%",
    { type: "Resource", resource: { name: "cpu", target: { averageUtilization: 60 } } },
    {},
  ],
  [
    "memory: 200Mi/1Gi",
    { type: "Resource", resource: { name: "memory", target: { averageValue: "1024Mi" } } },
    { resource: { name: "memory", current: { averageValue: "200Mi" } } },
  ],
  [
    "cpu: 12%/50%",
    { type: "ContainerResource", containerResource: { name: "cpu", target: { averageUtilization: 50 } } },
    { containerResource: { name: "cpu", container: "main", current: { averageUtilization: 12 } } },
  ],
  [
    "1500m/1k",
    { type: "Pods", pods: { metric, target: { averageValue: 1000 } } },
    { pods: { metric, current: { averageValue: "1500m" } } },
  ],
  [
    "22500m/30 (avg)",
    { type: "External", external: { metric, target: { averageValue: "30" } } },
    { external: { metric, current: { averageValue: "22500m" } } },
  ],
  [
    "1900/2k",
    { type: "Object", object: { metric, describedObject, target: { value: "2k" } } },
    { object: { metric, describedObject, current: { value: "1900" } } },
  ],
  [
    "cpu: 90m/100m",
    { type: "ContainerResource", containerResource: { name: "cpu", target: { averageValue: "0.1" } } },
    { containerResource: { name: "cpu", container: "main", current: { averageValue: "90m" } } },
  ],
  [
    "1/2 (avg)",
    { type: "Object", object: { metric, describedObject, target: { averageValue: "2" } } },
    { object: { metric, describedObject, current: { value: "9", averageValue: "1" } } },
  ],
  [
    "<unknown>/2k",
    { type: "Object", object: { metric, describedObject, target: { value: "2k" } } },
    { object: { metric, describedObject, current: {} } },
  ],
  ["<unknown>/a lot", { type: "Pods", pods: { metric, target: { averageValue: "a lot" } } }, {}],
  ["<unknown type>", { type: "Moon" }, {}],
])("a metric reads %s", (text, spec, status) => {
  expect(targetsText(wla({ metrics: [spec] }), [{ type: "", ...status }])).toBe(text);
  const unread = text.replace(/[^ /]+(?=\/)/, "<unknown>");
  expect(targetsText(wla({ metrics: [spec] }), null)).toBe(unread);
  // As another client may leave it.
  const incomplete = Object.fromEntries(Object.keys(status).map((type) => [type, {}]));
  expect(targetsText(wla({ metrics: [spec] }), [incomplete as never])).toBe(unread);
});

test("the third metric and those after it are only counted, and names without end are cut", () => {
  const one = { type: "Pods", pods: { metric, target: { averageValue: "1" } } };
  expect(targetsText(wla({ metrics: [one, one, one, one] }), null)).toBe(
    "<unknown>/1, <unknown>/1 + 2 more...",
  );
  const long = {
    type: "Resource",
    resource: { name: "x".repeat(100_000), target: { averageUtilization: 1 } },
  };
  expect(targetsText(wla({ metrics: [long, one, one] }), null)).toHaveLength(200 + "… + 1 more...".length);
  const fitting = { ...long, resource: { ...long.resource, name: "x".repeat(186) } };
  expect(targetsText(wla({ metrics: [fitting] }), null)).toBe(`${"x".repeat(186)}: <unknown>/1%`);
  // Half a letter would come back from the API server as another one, and be written again.
  const split = { ...long, resource: { ...long.resource, name: `x${"🚢".repeat(200)}` } };
  expect(targetsText(wla({ metrics: [split] }), null)).not.toMatch(/\p{Cs}/u);
});

test("without metrics the default one shows, or none where schedules decide", () => {
  expect(targetsText(wla({}), undefined)).toBe("cpu: <unknown>/80%");
  const schedules = [{ name: "day" }];
  expect(targetsText(wla({ schedules }), undefined)).toBe("<none>");
  const one = { type: "Pods", pods: { metric, target: { averageValue: "1" } } };
  expect(targetsText(wla({ schedules, metrics: [one] }), undefined)).toBe("<unknown>/1");
});
