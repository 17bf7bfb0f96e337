import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { cronHpaCrd } from "../../src/testing/crd/cron-hpa.ts";
import { workloadAutoscalerCrd } from "../../src/testing/crd/workload-autoscaler.ts";

test("deploy/crds is what the source says", () => {
  const script = fileURLToPath(new URL("../../../../scripts/generate.ts", import.meta.url));
  expect(execFileSync(process.execPath, [script, "--check", "CRDs"], { encoding: "utf8" })).toBe("");
});

test("every node of the schema has one type, and every list says what its items are", () => {
  const visited: string[] = [];
  const visit = (node: Readonly<Record<string, unknown>>, path: string): void => {
    visited.push(path);
    const isQuantity = node["x-kubernetes-int-or-string"] === true;
    expect([path, typeof node["type"]]).toEqual([path, isQuantity ? "undefined" : "string"]);
    expect([path, node["items"] !== undefined]).toEqual([path, node["type"] === "array"]);
    for (const [key, child] of Object.entries(node["properties"] ?? {})) {
      visit(child as Record<string, unknown>, `${path}.${key}`);
    }
    if (node["items"] !== undefined) visit(node["items"] as Record<string, unknown>, `${path}[]`);
  };
  visit(workloadAutoscalerCrd.spec.versions[0].schema.openAPIV3Schema, "");
  expect(visited.length).toBeGreaterThan(100);
  visit(cronHpaCrd.spec.versions[0].schema.openAPIV3Schema, "cron");
  expect(visited).toContain("cron.status.conditions[].jobId");
});
