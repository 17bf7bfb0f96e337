// The flags of live metrics.
import { networks } from "@plimsoll/live";
import type { Flags } from "./flags.ts";

/** How pods are scraped, and how much of it a namespace may cause. */
export interface LiveOptions {
  readonly minIntervalMs: number;
  /** Scrapes per second. */
  readonly pace: { readonly perNamespace: number; readonly all: number };
  readonly maxBytes: number;
  readonly seriesPerNamespace: number;
  readonly addresses: {
    readonly allowsNodes: boolean;
    readonly allowed: ReturnType<typeof networks> | undefined;
  };
  readonly caFile: string | undefined;
  readonly insecureSkipVerify: boolean;
  /** The label that has the namespace of a series. */
  readonly namespaceLabel: string;
}

/** Undefined: no pod is scraped. */
export function liveOptions(read: Flags): LiveOptions | undefined {
  const minIntervalMs = read.durationMs("live-min-interval") ?? 0;
  if (minIntervalMs < 1000) read.problems.push("--live-min-interval must be 1s or longer");
  const options = {
    minIntervalMs,
    pace: {
      perNamespace: read.integer("live-namespace-scrapes", { min: 1, max: 100_000 }),
      all: read.integer("live-scrapes", { min: 1, max: 100_000 }),
    },
    maxBytes: read.integer("live-response-bytes", { min: 1024, max: 64 * 1024 * 1024 }),
    seriesPerNamespace: read.integer("live-namespace-series", { min: 1, max: 1_000_000 }),
    addresses: { allowsNodes: read.boolean("live-host-network"), allowed: allowedNetworks(read) },
    caFile: read.string("live-ca-file"),
    insecureSkipVerify: read.boolean("live-insecure-skip-verify"),
    namespaceLabel: read.string("metric-rule-namespace-label") ?? "",
  };
  return read.boolean("live-metrics") ? options : undefined;
}

function allowedNetworks(read: Flags): LiveOptions["addresses"]["allowed"] {
  const texts = read.list("live-pod-cidrs");
  if (texts.length === 0) return undefined;
  try {
    return networks(texts);
  } catch (error) {
    read.problems.push(`invalid value for --live-pod-cidrs: ${(error as Error).message}`);
    return undefined;
  }
}
