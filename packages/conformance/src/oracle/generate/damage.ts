// Generates invalid HPAs for validation cases.
import type { Random } from "../random.ts";
import type { VectorCase } from "../vector-file.ts";
import { type Json, someHpa } from "./hpa.ts";

type Damage = (random: Random, hpa: Json) => void;

/** Each spoils one thing that validation looks at; several may meet in one object. */
export const damages: readonly [Damage, ...Damage[]] = [
  (random, hpa) => set(hpa, "spec.minReplicas", random.pick([-1, 0, 7, 100])),
  (random, hpa) => set(hpa, "spec.maxReplicas", random.pick([0, -1, 1, 2])),
  (random, hpa) => set(hpa, "spec.scaleTargetRef.kind", random.pick(["", ".", "..", "a/b", "a%b"])),
  (random, hpa) => set(hpa, "spec.scaleTargetRef.name", random.pick(["", ".", "..", "a/b", "a%b", "UPPER"])),
  (random, hpa) =>
    set(hpa, "spec.scaleTargetRef.apiVersion", random.pick(["", "v1", "a/b/c", "/v1", "apps/"])),
  (random, hpa) => {
    set(hpa, "spec.scaleTargetRef.kind", "ReplicationController");
    set(hpa, "spec.scaleTargetRef.apiVersion", random.pick(["", "v1", "a/b/c"]));
  },
  (random, hpa) =>
    set(hpa, "metadata.name", random.pick(["", "Web", "we_b", "web.shop", "-web", "x".repeat(254)])),
  (random, hpa) => set(hpa, "metadata.namespace", random.pick(["", "Shop", "a.b", "x".repeat(64)])),
  (random, hpa) =>
    set(
      hpa,
      "metadata.labels",
      random.pick<unknown>([{ "bad key": "x" }, { app: "no spaces" }, { "": "x" }]),
    ),
  (random, hpa) =>
    set(
      hpa,
      "metadata.annotations",
      random.pick<unknown>([{ "bad key": "x" }, { "a/b/c": "x" }, { UPPER: "x" }]),
    ),
  (random, hpa) =>
    onMetric(
      random,
      hpa,
      (metric) => (metric["type"] = random.pick(["", "Objects", "resource", "Pods", "External"])),
    ),
  (random, hpa) => onMetric(random, hpa, (metric) => delete metric[sourceOf(metric)]),
  (random, hpa) =>
    onMetric(random, hpa, (metric) => {
      metric["resource"] ??= { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } };
      metric["external"] ??= { metric: { name: "q" }, target: { type: "Value", value: "1" } };
    }),
  (random, hpa) =>
    onTarget(
      random,
      hpa,
      (target) => (target["type"] = random.pick(["", "Average", "Value", "Utilization"])),
    ),
  (random, hpa) => onTarget(random, hpa, (target) => (target["value"] = random.pick(["0", "-1", "1", "1n"]))),
  (random, hpa) =>
    onTarget(random, hpa, (target) => (target["averageValue"] = random.pick(["0", "-1m", "1", "1n"]))),
  (random, hpa) =>
    onTarget(random, hpa, (target) => (target["averageUtilization"] = random.pick([0, -5, 1, 101]))),
  (random, hpa) =>
    onTarget(random, hpa, (target) => {
      for (const member of ["value", "averageValue", "averageUtilization"]) delete target[member];
    }),
  (random, hpa) =>
    onSource(random, hpa, (source) => {
      if ("metric" in source) source["metric"] = { name: random.pick(["", ".", "a/b", "a%b", "UPPER:x"]) };
      else
        source["name"] = random.pick([
          "",
          "nvidia.com/gpu",
          "requests.cpu",
          "cpuu",
          "a/b/c",
          "hugepages-2Mi",
          "pods",
        ]);
    }),
  (random, hpa) =>
    onSource(random, hpa, (source) => {
      if ("container" in source) source["container"] = random.pick(["", "UPPER", "a.b", "x".repeat(64)]);
      if ("describedObject" in source) {
        source["describedObject"] = random.pick<unknown>([
          {},
          { kind: "", name: "x" },
          { kind: "A/B", name: ".." },
          { kind: "Ingress", name: "x", apiVersion: "a/b/c" },
          { kind: "Ingress", name: "x", apiVersion: "" },
        ]);
      }
    }),
  (random, hpa) =>
    onRules(random, hpa, (rules) => (rules["stabilizationWindowSeconds"] = random.pick([-1, 0, 3600, 3601]))),
  (random, hpa) =>
    onRules(random, hpa, (rules) => (rules["selectPolicy"] = random.pick(["", "max", "Least"]))),
  (random, hpa) =>
    onRules(random, hpa, (rules) => (rules["tolerance"] = random.pick(["-1", "-1n", "0", "5"]))),
  (random, hpa) =>
    onRules(
      random,
      hpa,
      (rules) =>
        (rules["policies"] = random.pick<unknown>([
          [],
          undefined,
          [{ type: "Pods", value: 1, periodSeconds: 1 }],
        ])),
    ),
  (random, hpa) =>
    onRules(random, hpa, (rules) => {
      rules["policies"] = [
        {
          type: random.pick(["Pods", "Percent", "", "percent"]),
          value: random.pick([-1, 0, 1, 200]),
          periodSeconds: random.pick([-1, 0, 1, 1800, 1801]),
        },
        { type: "Percent", value: 1, periodSeconds: 0 },
      ];
    }),
];

function set(hpa: Json, path: string, value: unknown): void {
  const members = path.split(".");
  const last = members.pop() ?? "";
  let at = hpa;
  for (const member of members) at = at[member] as Json;
  at[last] = value;
}

function onMetric(random: Random, hpa: Json, spoil: (metric: Json) => void): void {
  const metrics = ((hpa["spec"] as Json)["metrics"] ?? []) as Json[];
  const metric = metrics[random.int(0, metrics.length - 1)];
  if (metric !== undefined) spoil(metric);
}

function onSource(random: Random, hpa: Json, spoil: (source: Json) => void): void {
  onMetric(random, hpa, (metric) => {
    const source = metric[sourceOf(metric)] as Json | undefined;
    if (source !== undefined) spoil(source);
  });
}

function onTarget(random: Random, hpa: Json, spoil: (target: Json) => void): void {
  onSource(random, hpa, (source) => spoil(source["target"] as Json));
}

function onRules(random: Random, hpa: Json, spoil: (rules: Json) => void): void {
  const spec = hpa["spec"] as Json;
  const behavior = (spec["behavior"] ??= {}) as Json;
  spoil((behavior[random.pick(["scaleUp", "scaleDown"])] ??= {}) as Json);
}

function sourceOf(metric: Json): string {
  return Object.keys(metric).find((member) => member !== "type") ?? "none";
}

export function validationCase(random: Random, name: string): VectorCase {
  const hpa = random.chance(0.85) ? complete(someHpa(random)) : someHpa(random);
  const count = random.weighted([
    [2, 0],
    [6, 1],
    [3, 2],
    [2, random.int(3, 5)],
  ]);
  for (let left = count; left > 0; left -= 1) random.pick(damages)(random, hpa);
  // Damages may set a member to undefined; what is not in the file is not in the case.
  return { name, scaleToZero: random.chance(0.5), hpa: JSON.parse(JSON.stringify(hpa)) };
}

/** Validation sees objects after defaulting; what it says of half-filled ones matters less. */
function complete(hpa: Json): Json {
  const behavior = (hpa["spec"] as Json)["behavior"] as Json | undefined;
  for (const side of ["scaleUp", "scaleDown"]) {
    const rules = behavior?.[side] as Json | undefined;
    if (rules === undefined) continue;
    rules["selectPolicy"] ??= "Max";
    rules["policies"] ??= [{ type: "Percent", value: 100, periodSeconds: 15 }];
  }
  return hpa;
}
