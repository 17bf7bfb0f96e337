// Reads the usage of a whole namespace in one call of metrics.k8s.io, for many HPAs.
import {
  backoffMs,
  type Clock,
  cacheTiming,
  createBoundedCache,
  type Logger,
} from "@plimsoll/component-base";
import type { PodSamples } from "@plimsoll/core";
import { ApiError, apiErrorText, ConnectionError } from "@plimsoll/kube";
import type { MetricQuery } from "./call-for.ts";
import { batchCall, type NamespaceBatch } from "./namespace-batch.ts";
import { resourceCall } from "./resource.ts";
import type { Share } from "./share.ts";
import type { MetricCall } from "./wire.ts";

/** One query for the usage of all pods of a namespace, where that succeeds. */
export interface BatchedQueries {
  /** Undefined: query by selector. Throws errors that a query by selector would have too. */
  samples(
    query: Pick<MetricQuery, "namespace" | "podSelector" | "withinMs">,
    batch: NonNullable<MetricQuery["batch"]>,
  ): Promise<PodSamples | undefined>;
}

/** Called once when a namespace changes to queries by selector, and once when it changes back. */
export interface BatchListener {
  readonly onBackoff: (namespace: string, error: unknown) => void;
  readonly onResume: (namespace: string) => void;
}

/** How long a namespace is queried by selector after a failure; doubled with each failure in a row. */
const limits = { baseMs: 60_000, maxMs: 960_000 };
/** A namespace without evaluations for so long starts over. */
const forgetMs = 86_400_000;
/** Enough for ten thousand namespaces. */
const maxBytes = 4 * 1024 * 1024;

/** A result, and the selectors that have got their part of it. */
interface Taken {
  readonly batch: NamespaceBatch;
  readonly by: Set<string>;
}

/** "served": a query by selector succeeds, so only that for the namespace is refused. */
type Outage = "away" | "served";

interface Backoff {
  readonly failures: number;
  isOver: boolean;
}

interface BatchDeps extends BatchListener {
  readonly clock: Clock;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  readonly share: Share;
  readonly get: <T>(call: MetricCall<T>) => Promise<T>;
}

/**
 * When the batched query fails, queries by selector replace it, because they are smaller and may succeed. A single
 * query in the background finds out later whether it succeeds again; no evaluation waits for it.
 */
export function createBatchedQueries(deps: BatchDeps): BatchedQueries {
  const kept = { ...cacheTiming(deps.clock), maxBytes, ttlMs: forgetMs, isAgeLoose: true };
  const backoffs = createBackoffs(kept, deps);
  const outages = createBoundedCache<Outage>({ ...kept, name: "batch_outages" });
  return {
    async samples({ namespace, podSelector, withinMs }, { selector, selectors }) {
      if (backoffs.isPaused(namespace)) {
        if (backoffs.isOver(namespace)) void probe(namespace);
        return undefined;
      }
      const taken = await read(namespace, podSelector, withinMs);
      if (taken === undefined) return undefined;
      taken.by.add(podSelector);
      // A result that lives on is moved to the old part of the heap, with all its pods.
      if (taken.by.size >= selectors) deps.share.drop(batchCall(namespace).path);
      return taken.batch.select(selector);
    },
  };

  async function read(
    namespace: string,
    podSelector: string,
    withinMs: number | undefined,
  ): Promise<Taken | undefined> {
    const call = batchCall(namespace);
    const get = async (): Promise<Taken> => {
      // An adapter may answer 503 to the query for a namespace, and serve the smaller ones.
      if (outages.get(namespace) !== undefined) {
        await deps.get(resourceCall(namespace, podSelector));
        outages.set(namespace, "served");
      }
      return { batch: await deps.get(call), by: new Set() };
    };
    try {
      const taken = await deps.share.run(call.path, get, withinMs);
      outages.delete(namespace);
      if (!taken.batch.hasLabels)
        backoffs.pause(namespace, new Error("the metrics API does not return the labels of pods"));
      return taken;
    } catch (error) {
      if (outages.get(namespace) === undefined && isOutage(error)) outages.set(namespace, "away");
      if (isForAll(error) || outages.get(namespace) === "away") throw error;
      backoffs.pause(namespace, error);
      return undefined;
    }
  }

  async function probe(namespace: string): Promise<void> {
    // One at a time: the next evaluations find the backoff extended.
    backoffs.pause(namespace, undefined);
    try {
      const batch = await deps.get(batchCall(namespace));
      if (!batch.hasLabels) return;
      outages.delete(namespace);
      backoffs.end(namespace);
    } catch {
      // The backoff is extended already.
    }
  }
}

function createBackoffs(
  kept: Omit<Parameters<typeof createBoundedCache>[0], "name">,
  { clock, random, onBackoff, onResume }: BatchDeps,
) {
  const backoffs = createBoundedCache<Backoff>({ ...kept, name: "batch_backoffs" });
  return {
    isPaused: (namespace: string): boolean => backoffs.get(namespace) !== undefined,
    isOver: (namespace: string): boolean => backoffs.get(namespace)?.isOver === true,
    /** All that shared one failed query start one backoff. */
    pause(namespace: string, error: unknown): void {
      const known = backoffs.get(namespace);
      if (known?.isOver === false) return;
      const failures = (known?.failures ?? 0) + 1;
      const backoff: Backoff = { failures, isOver: false };
      backoffs.set(namespace, backoff);
      clock.after(backoffMs(failures - 1, limits) * (1 + random() / 5), () => {
        backoff.isOver = true;
      });
      if (known === undefined) onBackoff(namespace, error);
    },
    end(namespace: string): void {
      backoffs.delete(namespace);
      onResume(namespace);
    },
  };
}

/** Errors that every query of this API has now, so that queries by selector would only add load. */
function isForAll(error: unknown): boolean {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (cause instanceof ApiError) return [401, 403, 404, 429].includes(cause.code);
  return cause instanceof ConnectionError && cause.kind === "aborted";
}

/** The server is away, or restarts: the query for a namespace is the least load for it when it is back. */
function isOutage(error: unknown): boolean {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (cause instanceof ApiError) return cause.code === 503;
  return cause instanceof ConnectionError && cause.kind === "refused";
}

export function logBatches(log: Logger): BatchListener {
  return {
    onBackoff: (namespace, error) =>
      log.warn(
        { namespace, error: apiErrorText(error) },
        "cannot read a namespace's usage in one request; reading each object's pods separately",
      ),
    onResume: (namespace) => log.info({ namespace }, "reading a namespace's usage in one request again"),
  };
}
