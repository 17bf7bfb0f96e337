import type { Random } from "../random.ts";
import { quantityText, someAmount } from "./amount.ts";

export interface Target {
  readonly type: string;
  readonly value?: string;
  readonly averageValue?: string;
  readonly averageUtilization?: number;
}

/** A metric of autoscaling/v2, and what its samples are sized by. */
export interface Metric {
  readonly spec: Readonly<Record<string, unknown>> & { readonly type: string };
  readonly target: Target;
  /** The target in milli-units; for utilization, in percent. */
  readonly targetAmount: bigint;
  readonly resource: string | undefined;
  readonly container: string | undefined;
}

/** What can be stored only past validation, but must still be distinguished from a failure. */
export function anyMetric(random: Random): Metric {
  if (!random.chance(0.01)) return someMetric(random);
  const target = { type: "Value", value: "1" };
  return { spec: { type: "Bogus" }, target, targetAmount: 1000n, resource: undefined, container: undefined };
}

/** The metric of an object that names none. */
export const defaultMetric: Metric = {
  spec: {
    type: "Resource",
    resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } },
  },
  target: { type: "Utilization", averageUtilization: 80 },
  targetAmount: 80n,
  resource: "cpu",
  container: undefined,
};

export function someMetric(random: Random): Metric {
  return random.weighted([
    [30, resourceMetric],
    [14, containerResourceMetric],
    [20, podsMetric],
    [18, objectMetric],
    [18, externalMetric],
  ])(random);
}

export function externalMetric(random: Random): Metric {
  const [target, targetAmount] = valueTarget(random, 0.03);
  const spec = { type: "External", external: { metric: identifier(random, "queue_length"), target } };
  return { spec, target, targetAmount, resource: undefined, container: undefined };
}

function resourceMetric(random: Random): Metric {
  const name = resourceName(random);
  const [target, targetAmount] = resourceTarget(random, name);
  const spec = { type: "Resource", resource: { name, target } };
  return { spec, target, targetAmount, resource: name, container: undefined };
}

function containerResourceMetric(random: Random): Metric {
  const name = resourceName(random);
  const container = random.weighted([
    [8, "app"],
    [1, "init"],
    [1, "proxy"],
    [1, "gone"],
  ]);
  const [target, targetAmount] = resourceTarget(random, name);
  const spec = { type: "ContainerResource", containerResource: { name, container, target } };
  return { spec, target, targetAmount, resource: name, container };
}

function podsMetric(random: Random): Metric {
  const targetAmount = someAmount(random, "");
  const target = { type: "AverageValue", averageValue: targetText(random, targetAmount) };
  const spec = { type: "Pods", pods: { metric: identifier(random, "packets"), target } };
  return { spec, target, targetAmount, resource: undefined, container: undefined };
}

function objectMetric(random: Random): Metric {
  const [plain, targetAmount] = valueTarget(random, 0.03);
  // The type decides here, so a type that disagrees with the fields is an error of its own.
  const target = random.chance(0.04)
    ? { ...plain, type: random.pick(["Value", "AverageValue", "Utilization"]) }
    : plain;
  const describedObject = random.pick([
    { apiVersion: "networking.k8s.io/v1", kind: "Ingress", name: "shop" },
    { apiVersion: "v1", kind: "Service", name: "shop" },
    { apiVersion: "v1", kind: "Namespace", name: "other" },
    { kind: "Queue", name: "orders" },
  ]);
  const spec = {
    type: "Object",
    object: { describedObject, metric: identifier(random, "requests"), target },
  };
  return { spec, target, targetAmount, resource: undefined, container: undefined };
}

function resourceName(random: Random): string {
  return random.weighted([
    [6, "cpu"],
    [3, "memory"],
    [1, "example.com/widgets"],
  ]);
}

function resourceTarget(random: Random, resource: string): readonly [Target, bigint] {
  if (random.chance(0.02)) return [{ type: "Utilization" }, 50n];
  if (random.chance(0.65)) {
    const percent = random.weighted([
      [5, random.pick([50, 60, 70, 75, 80, 90, 100])],
      [3, random.int(1, 200)],
      [1, random.int(200, 2000)],
    ]);
    const absurd = random.chance(0.005) ? random.pick([0, -50]) : percent;
    return [{ type: "Utilization", averageUtilization: absurd }, BigInt(percent)];
  }
  const amount = someAmount(random, resource);
  return [{ type: "AverageValue", averageValue: targetText(random, amount) }, amount];
}

/** At times so small that it rounds up to a milli, or of a sign that the API would not take. */
function targetText(random: Random, amount: bigint): string {
  return random.weighted([
    [97, quantityText(random, amount)],
    [2, "1n"],
    [0.5, "0"],
    [0.5, "-2"],
  ]);
}

function valueTarget(random: Random, none: number): readonly [Target, bigint] {
  const amount = someAmount(random, "");
  const text = targetText(random, amount);
  if (random.chance(none)) return [{ type: "Value" }, amount];
  if (random.chance(0.5)) return [{ type: "Value", value: text }, amount];
  return [{ type: "AverageValue", averageValue: text }, amount];
}

function identifier(random: Random, name: string): Readonly<Record<string, unknown>> {
  const selector = random.weighted<Readonly<Record<string, unknown>> | undefined>([
    [70, undefined],
    [4, {}],
    [14, { matchLabels: { queue: "orders" } }],
    [4, { matchLabels: { zone: "b", queue: "orders" } }],
    [4, { matchExpressions: [{ key: "tier", operator: "In", values: ["gold", "silver"] }] }],
    [2, { matchExpressions: [{ key: "tier", operator: "Exists" }], matchLabels: { queue: "orders" } }],
    [1, { matchExpressions: [{ key: "tier", operator: "NotIn" }] }],
    [1, { matchExpressions: [{ key: "tier", operator: "Near", values: ["gold"] }] }],
  ]);
  return selector === undefined ? { name } : { name, selector };
}
