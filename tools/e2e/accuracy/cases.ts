// What is compared: autoscalers and loads of the size of the demonstration, and of a larger one.
import { minuteMs } from "@plimsoll/core/internal/values";
import { hpaOn, ingress, queue, requests } from "./autoscalers.ts";
import { type LoadOf, noisy, pointsOf, spike, step, wave } from "./loads.ts";
import type { StackRequest } from "./stack.ts";
import type { WhatIfCase } from "./what-if.ts";

const noise = { deviation: 0.05, memoryMs: 20_000, seed: 3 };
/** Within ten minutes it scales down, too. */
const quick = { behavior: { scaleDown: { stabilizationWindowSeconds: 60 } } };

/** Ten minutes are compared, after ten in which the pods come to rest. */
export const settlingMs = 10 * minuteMs;
const durationMs = 2 * settlingMs;

const metrics = {
  "requests of pods": requests(200),
  "requests at the Ingress": ingress(200),
  "a queue": queue(200),
};

const loads: Readonly<Record<string, { readonly load: LoadOf; readonly spec: object }>> = {
  "a step": { load: step(700, 1700, settlingMs), spec: {} },
  "a spike": { load: spike(700, 1900, { fromMs: settlingMs, toMs: settlingMs + 3 * minuteMs }), spec: quick },
  "a noisy wave": { load: noisy(wave(1100, 800, durationMs), noise), spec: {} },
};

/** Every metric on every load, with phases of scrapes that depend on the seed. */
export function simulatorCases(
  seed: number,
  size: number,
): readonly { readonly name: string; readonly request: StackRequest }[] {
  return Object.entries(metrics).flatMap(([ofMetric, metric]) =>
    Object.entries(loads).map(([ofLoad, { load, spec }]) => ({
      name: `${ofMetric}, ${ofLoad}`,
      request: {
        seed,
        replicas: Math.round(4 * size),
        hpa: hpaOn(metric, spec),
        load: pointsOf((afterMs) => size * load(afterMs), durationMs),
        durationMs,
      },
    })),
  );
}

const hours = 3;
const long = hours * 60 * minuteMs;

/** Three hours of two waves: up to twenty pods. */
export function whatIfCases(seed: number): readonly WhatIfCase[] {
  const load = pointsOf(noisy(wave(2200, 1700, 90 * minuteMs), { ...noise, seed }), long);
  const request = { seed, replicas: 4, hpa: hpaOn(requests(200)), load, durationMs: long };
  return [
    { name: "target 200 → 250", request, other: hpaOn(requests(250)) },
    { name: "target 200 → 150", request, other: hpaOn(requests(150)) },
    { name: "window 300 s → 60 s", request, other: hpaOn(requests(200), quick) },
  ];
}
