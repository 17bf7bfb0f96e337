// Manifests as users reported them, and what became of each.
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { cli, scenario } from "./small-scenario.ts";

const folder = "packages/cli/test/reported";

const oneObject = (name: string) => ({
  metadata: { name, namespace: "d" },
  spec: {
    minReplicas: 2,
    maxReplicas: 20,
    metrics: [{ type: "Resource" }],
    schedules: [{ name: "up", start: "0 8 * * *", end: "0 20 * * *", minReplicas: 10 }],
  },
});

test.each<[file: string, args: readonly string[], says: RegExp, objects: readonly object[]]>([
  ["01-same-name-hpa-and-cronhpa", [], /delete both objects after you apply it/, [oneObject("web")]],
  ["02-hpa-and-cronhpa-one-target", [], /delete both objects after you apply it/, [oneObject("web-hpa")]],
  [
    "03-metric-rules-no-namespace-matcher",
    ["--to=metric-rules"],
    /error: .*rabbitmq_queue_messages_ready\{queue="orders"\} would be confined to namespace="d".*rules in the administrator's file/,
    [],
  ],
  ["04-watermark-absolute-unready", [], /error: nothing to convert/, []],
  [
    "05-amp-sigv4-note",
    [],
    /is written as auth: \{type: sigv4\} of the source/,
    [{ kind: "WorkloadAutoscaler" }],
  ],
  ["06-metricsql", [], /is MetricsQL and is kept unchanged/, [{ kind: "WorkloadAutoscaler" }]],
  [
    "08-cronhpa-date-one-digit-hour",
    ["--time-zone=UTC"],
    /^$/,
    [{ spec: { minReplicas: 10, schedules: [{ start: "0 8 1 12 *", end: "59 23 2 12 *", replicas: 30 }] } }],
  ],
  [
    "09-fallback-value-static",
    [],
    /1 metric needs a rule/,
    [
      {
        spec: {
          metrics: [
            {
              external: { target: { type: "Value", value: "10" } },
              onMetricFailure: { policy: "Fallback", replicas: 3, allowScaleDown: true, afterSeconds: 15 },
            },
          ],
        },
      },
    ],
  ],
  [
    "12-scaling-modifiers",
    [],
    /1 metric needs a rule/,
    [{ spec: { metrics: [{ external: { target: { type: "AverageValue", averageValue: "10" } } }] } }],
  ],
  ["13-kma-ingress-silent", [], /collector skipper of kube-metrics-adapter, which has no equivalent/, [{}]],
  [
    "hpa-02-hpa",
    [],
    /error: .*metrics is an unknown field in autoscaling\/v2beta2: did you mean spec\.metrics\?/,
    [],
  ],
  [
    "hpa-14-hpa",
    [],
    /resource\.target\.type "Utilization" is written as AverageValue[^]*pods\.target\.type "Value" is written as AverageValue/,
    [
      {
        spec: {
          metrics: [
            { resource: { target: { type: "AverageValue", averageValue: "200Mi" } } },
            { pods: { target: { type: "AverageValue", averageValue: "1k" } } },
          ],
        },
      },
    ],
  ],
])("convert %s", async (file, args, says, objects) => {
  const { code, out, err } = await cli(["convert", `${folder}/${file}.yaml`, ...args]);
  expect(err).toMatch(says);
  expect(code).toBe(objects.length === 0 ? 1 : 0);
  const found = parseAllDocuments(out).map((document) => document.toJSON() as object | null);
  expect(found.filter((object) => object !== null)).toMatchObject(objects);
  expect(out).not.toContain("vector(0)");
  expect(err).not.toMatch(/sign requests|signed/);
});

test.each<[file: string, code: number, says: readonly string[]]>([
  [
    "hpa-01-hpa",
    1,
    [
      "spec.scaleTargetRef.Name is an unknown field",
      "did you mean spec.metrics[0].resource.target.averageUtilization?",
      'metadata.name "ConsumerApp-autoscaler"',
      "spec.maxReplicas 3 must be greater than or equal to `minReplicas`",
    ],
  ],
  ["hpa-01-unserved-version", 1, ["is not served since Kubernetes 1.26: use autoscaling/v2"]],
  [
    "hpa-01-v1-with-metrics",
    1,
    ["spec.metrics is an unknown field in autoscaling/v1: use apiVersion: autoscaling/v2"],
  ],
  ["hpa-02-hpa", 1, ["did you mean spec.metrics?", "is not served since Kubernetes 1.26"]],
  ["hpa-03-web", 0, ["PL-006", "the manifest has replicas: 3", "remove spec.replicas"]],
  ["hpa-05-hpa", 2, ["PL-054", "type: AverageValue with value: 5", "use type: Value"]],
])("doctor -f %s", async (file, code, says) => {
  const ended = await cli(["doctor", "-f", `${folder}/${file}.yaml`]);
  expect(ended.code).toBe(code);
  const text = `${ended.out}${ended.err}`.replaceAll(/\s+/g, " ");
  for (const part of says) expect(text).toContain(part);
});

test.each<[file: string, says: readonly string[]]>([
  ["11-name-with-blank", ['rules[0].name.as: matches has no group "1"']],
  ["14-as-with-template", ["externalRules[0].name.as: name.as is not a template"]],
  [
    "16-namespaced-false-leading-comma",
    [
      "externalRules[0].metricsQuery: without a selector the query is not PromQL",
      'externalRules[2].metricsQuery: seriesQuery has queue=~"my_queue_.*" and metricsQuery does not',
    ],
  ],
  ["18-selector-ignored", ["externalRules[0].metricsQuery: the query has no <<.LabelMatchers>>"]],
  ["25-rate-without-range", ["rules[0].metricsQuery: the query is not PromQL: rate needs a range"]],
  [
    "28-no-resources",
    ["rules[0]: resources is missing", "rules[0].name: does not match c28_ready, which seriesQuery selects"],
  ],
  [
    "58-series-selector-not-in-query",
    ['rules[0].metricsQuery: seriesQuery has reporter="destination" and metricsQuery does not'],
  ],
])("rules check %s", async (file, says) => {
  const { code, out } = await cli(["rules", "check", `${folder}/rules-${file}.yaml`]);
  expect(code).toBe(2);
  for (const part of says) expect(out).toContain(part);
});

test("simulate refuses metrics of an HPA in v1, which it would drop", async () => {
  const simulated = scenario({}).replace("file: hpa.yaml", `file: ${folder}/hpa-01-v1-with-metrics.yaml`);
  const { code, err } = await cli(["simulate", "s.yaml"], { "s.yaml": simulated });
  expect([code, err]).toEqual([1, expect.stringContaining("use apiVersion: autoscaling/v2, which has it")]);
});
