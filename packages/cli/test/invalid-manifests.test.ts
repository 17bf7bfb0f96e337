// What doctor, convert, and simulate say of manifests that no API server takes: the same.
import { expect, test } from "vitest";
import { cli, scenario } from "./small-scenario.ts";

const target = "scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: shop}";
const cpu = "{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 70}}}";
const flatCpu = "{type: Resource, resource: {name: cpu, targetAverageUtilization: 70}}";

function hpa({
  version = "v2",
  metadata = "{name: shop}",
  spec = `${target}, maxReplicas: 4, metrics: [${cpu}]`,
  rest = "",
}: {
  readonly version?: string;
  readonly metadata?: string;
  readonly spec?: string;
  readonly rest?: string;
}): string {
  return `apiVersion: autoscaling/${version}\nkind: HorizontalPodAutoscaler\nmetadata: ${metadata}\nspec: {${spec}}\n${rest}`;
}

const specWith = (more: string) => `${target}, maxReplicas: 4, ${more}`;
const unknown = (path: string, remedy: string, version = "v2") =>
  `${path} is an unknown field in autoscaling/${version}: ${remedy}`;
const cpuPath = "spec.metrics[0].resource";

test.each<readonly [what: string, manifest: string, problems: readonly string[]]>([
  [
    "several mistakes",
    hpa({
      metadata: "{name: ConsumerApp-autoscaler}",
      spec: `scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, Name: Consumer}, minReplicas: 10, maxReplicas: 3, metrics: [${flatCpu}]`,
    }),
    [
      unknown("spec.scaleTargetRef.Name", "did you mean spec.scaleTargetRef.name?"),
      unknown(`${cpuPath}.targetAverageUtilization`, `did you mean ${cpuPath}.target.averageUtilization?`),
      'metadata.name "ConsumerApp-autoscaler" a lowercase RFC 1123 subdomain',
      "spec.maxReplicas 3 must be greater than or equal to `minReplicas`: correct it",
    ],
  ],
  [
    "metrics beside spec",
    hpa({ spec: `${target}, maxReplicas: 4`, rest: `metrics: [${cpu}]\n` }),
    [unknown("metrics", "did you mean spec.metrics?")],
  ],
  [
    "behavior in a metric",
    hpa({
      spec: specWith(
        `metrics: [{type: Resource, behavior: {}, resource: {name: cpu, target: {type: Utilization, averageUtilization: 70}}}]`,
      ),
    }),
    [unknown("spec.metrics[0].behavior", "did you mean spec.behavior?")],
  ],
  [
    "a source in another, of the second metric",
    hpa({
      spec: specWith(
        `metrics: [${cpu}, {type: Pods, pods: {metric: {name: x}, target: {type: AverageValue, averageValue: 1}, resource: {}}}]`,
      ),
    }),
    [unknown("spec.metrics[1].pods.resource", "did you mean spec.metrics[1].resource?")],
  ],
  [
    "a type in small letters, once",
    hpa({ spec: specWith(`metrics: [${cpu.replace("Resource", "resource")}]`) }),
    ['spec.metrics[0].type "resource" supported values: '],
  ],
  [
    "a misspelled name",
    hpa({ spec: specWith("behaviour: {scaleDown: {stabilisationWindowSeconds: 60}}") }),
    [unknown("spec.behaviour", "did you mean spec.behavior?")],
  ],
  [
    "labels in spec",
    hpa({ spec: specWith("labels: {app: shop}") }),
    [unknown("spec.labels", "did you mean metadata.labels?")],
  ],
  [
    "a target without its object",
    hpa({
      spec: specWith(
        "metrics: [{type: Resource, resource: {name: cpu, type: Utilization, averageUtilization: 70}}]",
      ),
    }),
    [
      unknown(`${cpuPath}.type`, `did you mean ${cpuPath}.target.type?`),
      unknown(`${cpuPath}.averageUtilization`, `did you mean ${cpuPath}.target.averageUtilization?`),
    ],
  ],
  [
    "v1 with metrics of v2",
    hpa({ version: "v1" }),
    [unknown("spec.metrics", "use apiVersion: autoscaling/v2, which has it", "v1")],
  ],
  [
    "v2 with the percentage of v1",
    hpa({ spec: specWith("targetCPUUtilizationPercentage: 60") }),
    [
      unknown(
        "spec.targetCPUUtilizationPercentage",
        "write metrics: [{ type: Resource, resource: { name: cpu, target: { type: Utilization, averageUtilization: 60 } } }]",
      ),
    ],
  ],
  [
    "v1 with a percentage that is out of range",
    hpa({ version: "v1", spec: specWith("targetCPUUtilizationPercentage: 0") }),
    ["spec.targetCPUUtilizationPercentage 0 must be greater than 0: correct it"],
  ],
  [
    "nothing that could be meant",
    hpa({ spec: specWith("xyzzy: 1") }),
    [
      unknown(
        "spec.xyzzy",
        "remove it, or use one of scaleTargetRef, minReplicas, maxReplicas, metrics, behavior",
      ),
    ],
  ],
  [
    "values of other types",
    hpa({
      metadata: "{name: shop, annotations: {team: 7}}",
      spec: `scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: 12}, maxReplicas: "4", metrics: {}`,
    }),
    [
      "metadata.annotations must be an object whose values are strings: correct it",
      'spec.scaleTargetRef.name 12 must be a string: put it in quotation marks: "12"',
      'spec.maxReplicas "4" must be a 32-bit integer: write it without quotation marks: 4',
      "spec.metrics must be a list: correct it",
    ],
  ],
  [
    "what YAML reads as true",
    hpa({ spec: `scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: y}, maxReplicas: 4` }),
    ["spec.scaleTargetRef.name true must be a string: put it in quotation marks"],
  ],
  [
    "a number of more than 32 bits",
    hpa({ spec: `${target}, maxReplicas: 3000000000` }),
    ["spec.maxReplicas 3000000000 must be a 32-bit integer: correct it"],
  ],
  ["no name", hpa({ metadata: "{}" }), ["metadata.name is required: set it"]],
  [
    "a version that never was",
    hpa({ version: "v3" }),
    ['apiVersion "autoscaling/v3" is not a version of HorizontalPodAutoscaler: use autoscaling/v2'],
  ],
])("%s", async (_what, manifest, problems) => {
  const doctor = await cli(["doctor", "-f", "hpa.yaml"], { "hpa.yaml": manifest });
  const found = errorsOf(doctor.err);
  expect([doctor.code, found]).toEqual([1, problems.map((problem) => expect.stringContaining(problem))]);
  const convert = await cli(["convert", "hpa.yaml"], { "hpa.yaml": manifest });
  // In the order of the file.
  expect([convert.code, errorsOf(convert.err).toSorted()]).toEqual([1, found.toSorted()]);
  const simulate = await cli(["simulate", "s.yaml"], { "s.yaml": scenario({}), "hpa.yaml": manifest });
  expect(simulate.code).toBe(1);
  for (const problem of found) expect(simulate.err).toContain(remedyOf(problem));
});

test("a key that is there twice, and a target that is missing, as in a patch", async () => {
  const twice = await cli(["doctor", "-f", "hpa.yaml"], {
    "hpa.yaml": hpa({ spec: specWith("maxReplicas: 5") }),
  });
  expect(twice.err).toContain("document 1: has a key twice: remove one: kubectl applies the last");
  const { out, err } = await cli(["doctor", "-f", "hpa.yaml"], {
    "hpa.yaml": hpa({ spec: "maxReplicas: 5" }),
  });
  expect(err).toContain("spec.scaleTargetRef.kind is required");
  expect(out).not.toContain("cannot be scaled");
});

function errorsOf(text: string): readonly string[] {
  return text.split("\n").filter((line) => line.startsWith("error: hpa.yaml"));
}

function remedyOf(line: string): string {
  return line.slice(line.lastIndexOf(": ") + 2);
}

test("a kind that differs in its letters is named, also beside objects of other kinds", async () => {
  const manifest = hpa({}).replace("Autoscaler", "AutoScaler");
  for (const args of [
    ["doctor", "-f", "hpa.yaml"],
    ["convert", "hpa.yaml"],
  ]) {
    const { code, err } = await cli(args, { "hpa.yaml": `${hpa({})}---\n${manifest}` });
    expect([code, errorsOf(err)]).toEqual([
      1,
      [
        'error: hpa.yaml:7:7: document 2: kind "HorizontalPodAutoScaler" is not a kind of autoscaling/v2: use HorizontalPodAutoscaler',
      ],
    ]);
  }
});

test("the items of a list have its version and its kind where they have none", async () => {
  const item = `{metadata: {name: shop}, spec: {${target}, maxReplicas: 4, minReplicas: 5}}`;
  const list = `apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscalerList\nmetadata: {}\nitems: [${item}]\n`;
  const { err } = await cli(["doctor", "-f", "hpa.yaml"], { "hpa.yaml": list });
  expect(errorsOf(err)).toEqual([
    expect.stringContaining("items[0].spec.maxReplicas 4 must be greater than or equal to `minReplicas`"),
  ]);
});

test.each([
  ["v2beta1", `${target}, maxReplicas: 4, metrics: [${flatCpu}]`, "1.25"],
  ["v2beta2", `${target}, maxReplicas: 4, metrics: [${cpu}]`, "1.26"],
])(
  "%s is not served: doctor and simulate refuse it, and convert leaves it behind",
  async (version, spec, release) => {
    const manifest = hpa({ version, spec });
    const problem = `apiVersion "autoscaling/${version}" is not served since Kubernetes ${release}: use autoscaling/v2`;
    const doctor = await cli(["doctor", "-f", "hpa.yaml"], { "hpa.yaml": manifest });
    expect([doctor.code, errorsOf(doctor.err)]).toEqual([
      1,
      [`error: hpa.yaml:1:13: document 1: ${problem}`],
    ]);
    const simulate = await cli(["simulate", "s.yaml"], { "s.yaml": scenario({}), "hpa.yaml": manifest });
    expect(simulate.err).toContain(`is not served since Kubernetes ${release}: use autoscaling/v2`);
    const convert = await cli(["convert", "hpa.yaml"], { "hpa.yaml": manifest });
    expect([convert.code, convert.err]).toEqual([0, expect.stringContaining(problem)]);
  },
);

const wla = (spec: string, rest = "") =>
  `apiVersion: autoscaling.plimsoll.dev/v1alpha1\nkind: WorkloadAutoscaler\nmetadata: {name: shop}\nspec: {${spec}}\n${rest}`;

test.each([
  [
    "metrics beside spec",
    wla(`${target}, maxReplicas: 4`, `metrics: [${cpu}]\n`),
    "did you mean spec.metrics?",
  ],
  ["a setting beside tuning", wla(specWith("tolerance: 0.2")), "did you mean spec.tuning.tolerance?"],
  [
    "a misspelled policy",
    wla(
      specWith(
        `metrics: [{type: Resource, onMetricFailures: {policy: Ignore}, resource: {name: cpu, target: {type: Utilization, averageUtilization: 70}}}]`,
      ),
    ),
    "did you mean spec.metrics[0].onMetricFailure?",
  ],
  [
    "a schedule with a zone of another name",
    wla(
      specWith('schedules: [{name: day, timezone: UTC, start: "0 8 * * *", duration: 8h, minReplicas: 2}]'),
    ),
    "did you mean spec.schedules[0].timeZone?",
  ],
])("a WorkloadAutoscaler with %s", async (_what, manifest, remedy) => {
  const doctor = await cli(["doctor", "-f", "wla.yaml"], { "wla.yaml": manifest });
  expect([doctor.code, doctor.err]).toEqual([1, expect.stringContaining(remedy)]);
  const simulate = await cli(["simulate", "s.yaml"], { "s.yaml": scenario({}), "hpa.yaml": manifest });
  expect([simulate.code, simulate.err]).toEqual([1, expect.stringContaining(remedy)]);
});

const ofChart = hpa({ metadata: '{name: {{ include "shop.name" . }}}' });

test.each([
  ["an expression", ofChart, "3:19"],
  ["a condition around all", `{{- if .Values.isOn }}\n${ofChart}{{- end }}\n`, "1:3"],
  ["a number", hpa({ spec: `${target}, maxReplicas: {{ .Values.max }}` }), "4:91"],
  ["rules", `rules:\n{{ toYaml .Values.rules }}\n`, "2:1"],
  ["lists", `${hpa({})}---\nrules:\n{{- range .Values.rules }}\n- {{ . }}\n{{- end }}\n`, "7:1"],
])("a template with %s is one error", async (_, text, place) => {
  const remedy = "render it first; for a Helm chart, run helm template";
  for (const args of [["doctor", "-f"], ["convert"], ["rules", "check"]]) {
    const { code, err } = await cli([...args, "hpa.yaml"], { "hpa.yaml": text });
    expect([code, err.match(/^error: .*$/gm)]).toEqual([
      1,
      [
        expect.stringMatching(
          `^error: hpa.yaml:${place}: document \\d: has a template expression: ${remedy}$`,
        ),
      ],
    ]);
  }
});

test("text that only looks like a template is accepted", async () => {
  const text = `# {{ .Values.max }}\n${hpa({ metadata: "{name: shop, annotations: {a: '{{ $labels.pod }}'}}" })}`;
  const alerts =
    "kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\ndata:\n  a: |\n    {{ range .Values.a }}\n";
  const { code, err } = await cli(["doctor", "-f", "all.yaml"], { "all.yaml": `${text}---\n${alerts}` });
  expect([code, err]).toEqual([0, expect.not.stringContaining("error")]);
  const broken = await cli(["doctor", "-f", "all.yaml"], { "all.yaml": `${alerts}---\n${text}: {\n` });
  expect(broken.err).toContain("is not YAML");
});
