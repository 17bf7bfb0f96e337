import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../source/files.ts";
import { metricsOf } from "../source/metrics.ts";
import { parseSource } from "../source/parse.ts";

test("metrics are found where they are defined, with their type and labels", () => {
  const text = `
const prefix = "plimsoll_x";
const a = new Counter({ name: \`\${prefix}_runs_total\`, help: "Runs.", labelNames: ["by", "to"], registers });
const b = histogram({ name: "plimsoll_wait_seconds", help: "Waits." });
sampled(\`\${prefix}_size\`, "Its size.", read);
const other = { name: "kube_pod_info", help: "not ours" };
flag({ name: "plimsoll-flag", help: "no metric" });
`;
  expect(metricsOf(parseSource("packages/x/src/y.ts", text))).toEqual([
    { name: "plimsoll_x_runs_total", type: "counter", help: "Runs.", labels: ["by", "to"] },
    { name: "plimsoll_wait_seconds", type: "histogram", help: "Waits.", labels: [] },
    { name: "plimsoll_x_size", type: "gauge", help: "Its size.", labels: [] },
  ]);
});

test("the page has every name of a metric that stands in the processes' sources, and none twice", () => {
  const page = readFileSync(join(root, "docs/metrics.md"), "utf8");
  const listed = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, name = ""]) => name);
  expect(new Set(listed).size).toBe(listed.length);
  const prefixes = ["plimsoll_horizontalpodautoscaler", "plimsoll_hpa_controller", "plimsoll_namespace"];
  const written = globSync("packages/{autoscaler,metrics-adapter,component-base}/src/**/*.ts", { cwd: root })
    .flatMap((path) => [...readFileSync(join(root, path), "utf8").matchAll(/"(plimsoll_\w+)"/g)])
    .map(([, name = ""]) => name)
    .filter((name) => !prefixes.includes(name));
  expect(written.length).toBeGreaterThan(30);
  expect(written.filter((name) => !listed.includes(name))).toEqual([]);
});
