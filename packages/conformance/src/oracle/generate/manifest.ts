// Generates manifests as people write them: some are right, most have a mistake of spelling, place, type, or value.
import { isFields } from "@plimsoll/core/internal/values";
import type { Random } from "../random.ts";
import type { VectorCase } from "../vector-file.ts";
import { damages } from "./damage.ts";
import { type Json, someHpa } from "./hpa.ts";

export function manifestCase(random: Random, name: string): VectorCase {
  const hpa: Json = JSON.parse(JSON.stringify(random.chance(0.8) ? someHpa(random) : someV1(random)));
  const count = random.weighted([
    [3, 0],
    [6, 1],
    [2, 2],
  ]);
  const damaged = hpa["apiVersion"] === "autoscaling/v2" ? random.int(0, count) : 0;
  for (let left = damaged; left > 0; left -= 1) random.pick(damages)(random, hpa);
  // After those, which need the shape.
  for (let left = count - damaged; left > 0; left -= 1) random.pick(mistakes)(random, hpa);
  // kubectl adds it.
  if (isFields(hpa["metadata"])) (hpa["metadata"] as Json)["namespace"] ??= "shop";
  return { name, scaleToZero: random.chance(0.5), hpa: JSON.parse(JSON.stringify(hpa)) };
}

const behavior = "autoscaling.alpha.kubernetes.io/behavior";

function someRules(random: Random): string {
  const policy = { Type: "Pods", Value: random.int(0, 4), PeriodSeconds: random.pick([0, 15, 60, 3600]) };
  const rules = random.pick<unknown>([
    {},
    null,
    { Policies: null },
    { Policies: [] },
    { Policies: [policy] },
  ]);
  return JSON.stringify({ [random.pick(["ScaleUp", "scaleDown"])]: rules });
}

function someV1(random: Random): Json {
  return {
    apiVersion: "autoscaling/v1",
    kind: "HorizontalPodAutoscaler",
    metadata: {
      name: "web",
      namespace: "shop",
      annotations: random.pick([{}, { [behavior]: someRules(random) }]),
    },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      ...(random.chance(0.7) ? { minReplicas: random.int(0, 3) } : {}),
      maxReplicas: random.int(3, 9),
      ...(random.chance(0.7) ? { targetCPUUtilizationPercentage: random.int(0, 90) } : {}),
    },
  };
}

type Mistake = (random: Random, hpa: Json) => void;

const mistakes: readonly [Mistake, ...Mistake[]] = [
  // Another name: misspelled, in other letters, or of another version.
  (random, hpa) =>
    change(random, hpa, (object, key) => {
      const { [key]: value } = object;
      delete object[key];
      object[random.pick([`${key}s`, key.slice(1), key.toUpperCase(), `target${key}`, "x"])] = value;
    }),
  // At another place.
  (random, hpa) =>
    change(random, hpa, (object, key) => {
      const { [key]: value } = object;
      if (!random.chance(0.3)) delete object[key];
      random.pick(objectsIn(hpa) as [Json, ...Json[]])[key] = structuredClone(value);
    }),
  // Of another type.
  (random, hpa) =>
    change(random, hpa, (object, key) => {
      const { [key]: value } = object;
      object[key] = random.pick<unknown>([
        String(value),
        Number(value),
        [structuredClone(value)],
        { [key]: structuredClone(value) },
        true,
        null,
        1.5,
        3_000_000_000,
        "",
        {},
        [],
      ]);
    }),
  (random, hpa) =>
    change(random, hpa, (object) => {
      object[random.pick(["metrics", "behavior", "name", "selector", "namespace", "targetAverageValue"])] =
        random.pick<unknown>([null, "x", 1, {}, []]);
    }),
  (random, hpa) => change(random, hpa, (object, key) => delete object[key]),
];

function change(random: Random, hpa: Json, spoil: (object: Json, key: string) => void): void {
  const object = random.pick(objectsIn(hpa) as [Json, ...Json[]]);
  const keys = Object.keys(object).filter((key) => key !== "apiVersion" && key !== "kind");
  const [first, ...others] = keys;
  if (first !== undefined) spoil(object, random.pick([first, ...others]));
}

/** The object itself, and all in it. */
function objectsIn(value: unknown): readonly Json[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn);
  return isFields(value) ? [value, ...Object.values(value).flatMap(objectsIn)] : [];
}
