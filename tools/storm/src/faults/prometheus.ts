// Faults of Prometheus: away, slow, failing, partial, with a wrong clock, and what its targets do to it.
import { minuteMs } from "@plimsoll/core/internal/values";
import type { PrometheusFate, PrometheusFault } from "../prometheus/faults.ts";
import type { Series } from "../prometheus/series.ts";
import type { Random } from "../random/random.ts";
import type { FaultKind } from "../run/world.ts";
import type { PlannedEvent, Setup } from "../scenario/scenario.ts";
import { numberOf, spreadDuration, textOf } from "./details.ts";

/** Samples that are not newer than those before a step back are refused: less than the quiet time at the end of a run. */
const maxStepMs = 4 * minuteMs;

/** A kind of fault that some requests to Prometheus meet. */
function requestFault(
  draw: (random: Random) => Readonly<Record<string, unknown>>,
  fateOf: (event: PlannedEvent) => PrometheusFate,
): FaultKind {
  return {
    draw: (random) => ({ probability: random.pick([0.1, 0.5, 1, 1]), ...draw(random) }),
    maxForMs: 10 * minuteMs,
    begin({ prometheus }, event) {
      const probability = numberOf(event, "probability");
      const fate = fateOf(event);
      const stream = `fault ${event.id}`;
      return prometheus.add({
        ofRequest: (random) => (random.stream(stream).chance(probability) ? fate : undefined),
      });
    },
  };
}

/** A kind of fault of some series: all of them, those of a namespace, or those of a name; and of these a part. */
function seriesFault(faultOf: (isConcerned: (series: Series) => boolean) => PrometheusFault): FaultKind {
  return {
    draw: (random, setup) => ({ ...drawPlace(random, setup), share: random.pick([0.2, 0.5, 1]) }),
    maxForMs: 10 * minuteMs,
    begin({ prometheus, random }, event) {
      const namespace = textOf(event, "namespace");
      const share = numberOf(event, "share");
      const stream = random.stream(`fault ${event.id}`);
      const chosen = new Map<string, boolean>();
      return prometheus.add(
        faultOf(({ identity, labels }) => {
          if (namespace !== "" && labels["namespace"] !== namespace) return false;
          return decided(chosen, identity, () => stream.stream(identity).chance(share));
        }),
      );
    },
  };
}

function decided(known: Map<string, boolean>, key: string, decide: () => boolean): boolean {
  const before = known.get(key);
  if (before !== undefined) return before;
  const now = decide();
  known.set(key, now);
  return now;
}

function drawPlace(random: Random, { objects }: Setup): Readonly<Record<string, unknown>> {
  const namespaces = objects.flatMap(({ metadata: { namespace } }) =>
    namespace === undefined ? [] : [namespace],
  );
  return { namespace: random.pick(["", ...new Set(namespaces)]) };
}

export const prometheusFaults: Readonly<Record<string, FaultKind>> = {
  "prometheus-refuses": requestFault(
    () => ({}),
    () => ({ type: "refused" }),
  ),
  "prometheus-silent": requestFault(
    () => ({}),
    () => ({ type: "silent" }),
  ),
  "prometheus-slow": requestFault(
    (random) => ({ ms: spreadDuration(random.next(), 50, 70_000) }),
    (event) => ({ type: "slow", ms: numberOf(event, "ms") }),
  ),
  "prometheus-fails": requestFault(
    (random) => ({ code: random.pick([429, 500, 502, 503, 504]) }),
    (event) => ({ type: "status", code: numberOf(event, "code") }),
  ),
  /** Storage that responds in part, as of several stores behind one address. */
  "prometheus-partial": seriesFault((isConcerned) => ({
    leavesOut: isConcerned,
  })),
  "scrapes-lost": seriesFault((isConcerned) => ({
    losesScrape: ({ up }) => isConcerned(up),
  })),
  /** It is gone for this time: nothing is scraped, and no request is accepted. */
  "prometheus-down": {
    draw: () => ({}),
    maxForMs: 15 * minuteMs,
    begin: ({ prometheus }) =>
      prometheus.add({ ofRequest: () => ({ type: "refused" }), losesScrape: () => "unseen" }),
  },
  "values-not-numbers": seriesFault((isConcerned) => ({
    exported: (series, value) => (isConcerned(series) ? Number.NaN : value),
  })),
  "counters-reset": {
    draw: drawPlace,
    begin({ prometheus }, event) {
      const wanted = textOf(event, "namespace");
      prometheus.resetCounters(({ namespace }) => wanted === "" || namespace === wanted);
      return undefined;
    },
  },
  /** Dates samples and queries; set back at the end. */
  "prometheus-clock": {
    draw: (random) => ({
      byMs: spreadDuration(random.next(), 100, maxStepMs) * (random.chance(0.5) ? 1 : -1),
    }),
    maxForMs: 20 * minuteMs,
    begin({ prometheus }, event) {
      const byMs = numberOf(event, "byMs");
      prometheus.stepClock(byMs);
      return () => prometheus.stepClock(-byMs);
    },
  },
};
