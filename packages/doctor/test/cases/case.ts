// For each rule: a world in which it finds something, and what it says; one near to it, in which it does not; one in which it
// cannot know. This file has what the cases of several topics share.
import type { Fields } from "@plimsoll/core/internal/values";
import { type FactReadings, known, unknown } from "../../src/index.ts";
import { ago, condition, hpa, queue, type World } from "../world.ts";

export interface Case {
  readonly positive: World;
  /** Parts of title and evidence. */
  readonly says: readonly string[];
  readonly negative: World;
  readonly unreadable: World;
}

export const no = unknown("may not list it");

export const facts = (changed: Partial<FactReadings>, object?: Fields): World => ({
  facts: changed,
  ...(object === undefined ? {} : { object }),
});

export const event = (
  about: { kind: string; name: string },
  reason: string,
  message: string,
  rest: Fields = {},
): Fields => ({
  involvedObject: about,
  reason,
  message,
  count: 1,
  firstTimestamp: ago(10),
  lastTimestamp: ago(10),
  ...rest,
});

export const aboutHpa = { kind: "HorizontalPodAutoscaler", name: "shop" };

export const rescale = (replicas: number, minutes: number, why = "All metrics below target") =>
  event(aboutHpa, "SuccessfulRescale", `New size: ${replicas}; reason: ${why}`, {
    firstTimestamp: ago(minutes),
    lastTimestamp: ago(minutes),
  });

export const targetOf = (object: Fields) => known({ found: true as const, object });

export const external = (type: "Value" | "AverageValue" = "AverageValue") =>
  hpa({ spec: { metrics: [queue(type)] } });

export const notFound = (name: string) => [
  { samples: { error: `the server could not find the metric ${name} for pods` } },
];

export const rule = {
  path: "rules[0]",
  seriesQuery: "http_requests_total",
  metrics: ["http_requests"],
  listed: ["pods/http_requests"],
  shadowed: [],
  problem: undefined,
  rangesMs: [120_000],
  scrapeIntervalMs: 30_000,
  silentMs: undefined,
  labels: ["exported_namespace", "exported_pod"],
  warnings: [],
  ignoresSelector: false,
  isNamespaced: true,
  lacksLabel: false,
};

export const scaledObject = (
  changes: { metadata?: Fields; spec?: Fields; conditions?: readonly Fields[] } = {},
): Fields => ({
  kind: "ScaledObject",
  metadata: { name: "shop", namespace: "default", ...changes.metadata },
  spec: { scaleTargetRef: { name: "shop" }, ...changes.spec },
  status: {
    hpaName: "shop",
    conditions: changes.conditions ?? [condition("Ready", "True", "ScaledObjectReady")],
  },
});
