import { expect, test } from "vitest";
import { known } from "../src/index.ts";
import { examine, hpa, pod, podsOf, said } from "./world.ts";

const report = pod(9, {
  containers: [{ name: "report" }],
  owner: { kind: "Job", name: "report-2951", controller: true },
  status: { phase: "Succeeded" },
});
const world = (object = hpa()) => ({ object, facts: { pods: known([...podsOf(3), report]) } });

test("a Job's pod that the target's selector matches is named with its Job, and is not called injected", () => {
  const { findings } = examine("PL-014", world());
  expect(findings.map(said)).toEqual([
    "the target's selector matches 1 pod of a Job, so utilization is unknown; pod shop-5d89-9 is of Job/report-2951, matches the target's selector, and has no cpu request",
  ]);
  expect(findings[0]?.fix).toMatch(/^make the selector match the target's own pods only: /);
});

test("a ContainerResource metric fails for it as well, since the controller looks for the container in every pod", () => {
  const target = { type: "Utilization", averageUtilization: 60 };
  const metric = { type: "ContainerResource", containerResource: { name: "cpu", container: "main", target } };
  const { findings } = examine("PL-014", world(hpa({ spec: { metrics: [metric] } })));
  expect(findings.map(said)).toEqual([expect.stringContaining("has no cpu request for a container main")]);
});

test("a Job's pod with requests does not matter", () => {
  const requests = { cpu: "100m" };
  const busy = pod(9, {
    containers: [{ name: "report", resources: { requests } }],
    owner: { kind: "Job", name: "report-2951", controller: true },
  });
  expect(examine("PL-014", { facts: { pods: known([...podsOf(3), busy]) } }).findings).toEqual([]);
});
