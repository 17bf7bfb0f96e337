// Draws a scenario from a seed.

import { hourMs, minuteMs } from "@plimsoll/core/internal/values";
import { harmlessKinds } from "../faults/harmless.ts";
import { createRandom, type Random } from "../random/random.ts";
import type { FaultKind } from "../run/world.ts";
import type { PlannedEvent, Scenario, Setup } from "./scenario.ts";

/** What scenarios are drawn from. */
export interface DrawOptions {
  readonly faults: Readonly<Record<string, FaultKind>>;
  readonly drawSetup: (random: Random) => Setup;
  /** How long the storm lasts; drawn when absent. */
  readonly hours?: number | undefined;
}

/** Everything comes to rest in this time: leases expire, backoffs end, stabilization windows pass. */
const quietMs = 10 * minuteMs;
/** The processes start and the objects are known before the first fault. */
const calmMs = 2 * minuteMs;
const shortestFaultMs = 500;

/**
 * The same seed gives the same scenario. Each seed takes some kinds of faults only, each with a weight of its own: what two kinds
 * cause together is hidden when there are always all of them.
 */
export function drawScenario(seed: number, options: DrawOptions): Scenario {
  const random = createRandom(seed).stream("scenario");
  const setup = options.drawSetup(random.stream("setup"));
  const stormMs = Math.round(
    options.hours === undefined ? random.between(20, 150) * minuteMs : options.hours * hourMs - quietMs,
  );
  if (stormMs <= 0) throw new Error("a run lasts more than its 10 minutes of quiet");
  return {
    seed,
    startMs: drawStart(random.stream("start")),
    stormMs,
    quietMs,
    setup,
    events: drawEvents(random.stream("events"), { setup, stormMs, faults: options.faults }),
  };
}

/** Instants before changes of clocks, new years and leap days, in time zones that schedules use. */
const interesting = [
  "2026-03-29T00:30:00Z",
  "2026-10-25T00:30:00Z",
  "2026-03-08T06:30:00Z",
  "2026-11-01T05:30:00Z",
  "2027-12-31T23:30:00Z",
  "2028-02-28T23:30:00Z",
] as const;

function drawStart(random: Random): number {
  if (random.chance(0.4)) return Date.parse(random.pick(interesting)) - random.between(0, 30) * minuteMs;
  return (
    Date.parse("2026-06-01T00:00:00Z") +
    random.between(0, 365 * 24 * 60) * minuteMs +
    random.between(0, 59_999)
  );
}

interface EventOptions extends Pick<DrawOptions, "faults"> {
  readonly setup: Setup;
  readonly stormMs: number;
}

function drawEvents(random: Random, { faults, setup, stormMs }: EventOptions): readonly PlannedEvent[] {
  const chosen = drawKinds(random, faults);
  if (chosen.length === 0) return [];
  const everyMs = random.pick([0.5, 1, 2, 5]) * minuteMs;
  const events: PlannedEvent[] = [];
  for (let id = 1, atMs = calmMs; ; id += 1) {
    const own = random.stream(String(id));
    // The times between events are those of a Poisson process, so that some come together.
    atMs += Math.round(-Math.log(1 - own.next()) * everyMs);
    if (atMs >= stormMs) return events;
    const { kind, fault } = pickWeighted(own.next(), chosen);
    const details = fault.draw(own.stream("details"), setup);
    if (details === undefined) continue;
    events.push({ id, atMs, forMs: drawDuration(own, fault, stormMs - atMs), kind, details });
  }
}

interface Chosen {
  readonly kind: string;
  readonly fault: FaultKind;
  readonly weight: number;
}

/** Some of the kinds, each with a weight of its own. */
function drawKinds(random: Random, faults: DrawOptions["faults"]): readonly Chosen[] {
  if (random.stream("calm").chance(0.15)) return calmKinds(faults);
  const share = random.pick([0.15, 0.3, 0.6, 1]);
  return Object.entries(faults).flatMap(([kind, fault]) => {
    const own = random.stream(kind);
    return own.chance(share) ? [{ kind, fault, weight: (fault.weight ?? 1) * own.pick([1, 1, 3, 10]) }] : [];
  });
}

/** Many kills, and nothing else that disturbs: only then it can be checked how soon another process takes over. */
function calmKinds(faults: DrawOptions["faults"]): readonly Chosen[] {
  return Object.entries(faults)
    .filter(([kind]) => harmlessKinds.test(kind))
    .map(([kind, fault]) => ({ kind, fault, weight: (fault.weight ?? 1) * (kind === "kill" ? 5 : 1) }));
}

function pickWeighted(unit: number, chosen: readonly Chosen[]): Chosen {
  let left = unit * chosen.reduce((sum, { weight }) => sum + weight, 0);
  for (const one of chosen) {
    left -= one.weight;
    if (left < 0) return one;
  }
  return chosen[chosen.length - 1] as Chosen;
}

/** Short faults are as likely as long ones; all end with the storm. */
function drawDuration(random: Random, fault: FaultKind, leftMs: number): number {
  const { maxForMs, minForMs = shortestFaultMs } = fault;
  if (maxForMs === undefined) return 0;
  const forMs = minForMs * (maxForMs / minForMs) ** random.next();
  return Math.min(Math.round(forMs), leftMs);
}
