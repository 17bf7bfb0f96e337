// Generates random responses of the metrics APIs for a metric and its pods.
import type { Random } from "../random.ts";
import { quantityText, type Ratio, scaled, someAmount, someRatio } from "./amount.ts";
import { instant, nearEdge, zeroTime } from "./instant.ts";
import type { Metric } from "./metric.ts";
import type { Pod, Timing } from "./pod.ts";

export type Samples = Readonly<Record<string, unknown>>;

export interface Situation {
  readonly timing: Timing;
  readonly pods: readonly Pod[];
  readonly specReplicas: number;
  readonly statusReplicas: number;
  /** Given to make one metric follow a load over time. */
  readonly ratio?: Ratio;
  /** Probability of a failed call. */
  readonly failing: number;
}

const failures = [
  "the broker is away",
  "the server is currently unable to handle the request (get pods.metrics.k8s.io)",
  "context deadline exceeded",
  "no: such: metric",
] as const;

export function someSamples(random: Random, metric: Metric, situation: Situation): Samples {
  if (random.chance(situation.failing)) return { error: random.pick(failures) };
  switch (metric.spec.type) {
    case "Pods":
      return { pods: podValues(random, metric, situation) };
    case "Object":
      return {
        value: total(random, metric, situation),
        timestamp: instant(situation.timing.nowMs - random.int(0, 60) * 1000),
      };
    case "External":
      return { values: series(random, metric, situation) };
    default:
      return { pods: podUsages(random, metric, situation) };
  }
}

/** The pods that have a sample: sometimes not all, sometimes others, sometimes one twice. */
function sampledNames(random: Random, pods: readonly Pod[]): readonly string[] {
  const present = random.weighted([
    [5, 1],
    [3, 0.8],
    [1, 0.3],
    [0.4, 0],
  ]);
  const names = pods.map((pod) => pod.metadata.name).filter(() => random.chance(present));
  if (random.chance(0.1)) names.push(`other-${random.int(0, 3)}`);
  const [first] = names;
  if (first !== undefined && random.chance(0.02)) names.push(first);
  return names;
}

function podUsages(random: Random, metric: Metric, situation: Situation): readonly Samples[] {
  const shared = situation.ratio ?? someRatio(random);
  const specs = new Map(situation.pods.map((pod) => [pod.metadata.name, pod.spec]));
  return sampledNames(random, situation.pods).map((name) => {
    const ratio = random.chance(0.85) ? shared : someRatio(random);
    const windowSeconds = random.pick([10, 15, 30, 60]);
    return {
      name,
      ...someTimestamp(random, situation),
      ...(random.chance(0.03) ? {} : { windowSeconds }),
      containers: containerUsages(random, metric, { spec: specs.get(name), ratio }),
    };
  });
}

function someTimestamp(random: Random, situation: Situation): { timestamp?: string | null } {
  return random.weighted([
    [96, { timestamp: instant(sampleTime(random, situation)) }],
    [2, { timestamp: zeroTime }],
    [1, { timestamp: null }],
    [1, {}],
  ]);
}

function sampleTime(random: Random, { timing }: Situation): number {
  return random.chance(0.8)
    ? timing.nowMs - random.int(0, 60) * 1000
    : nearEdge(random, timing.nowMs - random.int(0, 120) * 1000);
}

function containerUsages(
  random: Random,
  metric: Metric,
  { spec, ratio }: { spec: Pod["spec"] | undefined; ratio: Ratio },
): Readonly<Record<string, Record<string, string>>> {
  if (random.chance(0.015)) return {};
  const containers = spec?.containers ?? [{ name: "app" }];
  const resource = metric.resource ?? "cpu";
  return Object.fromEntries(
    containers
      .filter(() => !random.chance(0.015))
      .map((container) => {
        const usage: Record<string, string> = {};
        if (!random.chance(0.015)) {
          usage[resource] = quantityText(
            random,
            containerUsage(random, metric, { container, ratio, containers }),
          );
        }
        if (random.chance(0.2)) usage[resource === "memory" ? "cpu" : "memory"] = "7";
        return [container.name, usage];
      }),
  );
}

function containerUsage(
  random: Random,
  metric: Metric,
  {
    container,
    ratio,
    containers,
  }: { container: Pod["spec"]["containers"][number]; ratio: Ratio; containers: readonly unknown[] },
): bigint {
  if (metric.target.averageUtilization === undefined) {
    return (
      scaled(random, metric.targetAmount, ratio) /
      BigInt(metric.container === undefined ? containers.length : 1)
    );
  }
  const request =
    milliOf(container.resources?.requests?.[metric.resource ?? "cpu"]) ?? someAmount(random, "cpu");
  return scaled(random, (request * metric.targetAmount) / 100n, ratio);
}

/** Reads back only what quantityText writes; the rest does not matter for sizing a sample. */
function milliOf(text: string | undefined): bigint | undefined {
  const parts = /^(\d+)(n|m|k|Ki)?$/.exec(text ?? "");
  const digits = parts?.[1];
  if (digits === undefined) return undefined;
  const factors = { n: 0n, m: 1n, k: 1_000_000n, Ki: 1_024_000n } as const;
  const unit = parts?.[2];
  if (unit === "n") return BigInt(digits) / 1_000_000n;
  return BigInt(digits) * (unit === "m" || unit === "k" || unit === "Ki" ? factors[unit] : 1000n);
}

function podValues(random: Random, metric: Metric, situation: Situation): readonly Samples[] {
  const shared = situation.ratio ?? someRatio(random);
  return sampledNames(random, situation.pods).map((name) => {
    const ratio = random.chance(0.85) ? shared : someRatio(random);
    const value = scaled(random, metric.targetAmount, ratio);
    return {
      name,
      timestamp: instant(sampleTime(random, situation)),
      ...(random.chance(0.3) ? { windowSeconds: 30 } : {}),
      value: quantityText(random, random.chance(0.01) ? -value : value),
    };
  });
}

/** The whole load, sized by whichever count the target type divides it by. */
function totalMilli(random: Random, metric: Metric, situation: Situation): bigint {
  const ratio = situation.ratio ?? someRatio(random);
  const perPod = metric.target.averageValue !== undefined;
  const amount = perPod ? metric.targetAmount * BigInt(situation.statusReplicas) : metric.targetAmount;
  return scaled(random, amount, ratio);
}

function total(random: Random, metric: Metric, situation: Situation): string {
  const milli = totalMilli(random, metric, situation);
  return quantityText(random, random.chance(0.01) ? -milli : milli);
}

function series(random: Random, metric: Metric, situation: Situation): readonly Samples[] {
  const count = random.weighted([
    [6, 1],
    [3, random.int(2, 4)],
    [0.5, 0],
  ]);
  const whole = totalMilli(random, metric, situation);
  return Array.from({ length: count }, (_, at) => {
    const share = at === 0 ? whole - (whole / BigInt(count)) * BigInt(count - 1) : whole / BigInt(count);
    const value = random.chance(0.02) ? BigInt(random.digits(19)) : share;
    return {
      value: quantityText(random, random.chance(0.01) ? -value : value),
      timestamp: instant(situation.timing.nowMs - random.int(0, 60) * 1000),
    };
  });
}
