// Faults of requests: lost, refused, delayed.
import { minuteMs } from "@plimsoll/core/internal/values";
import type { NetworkFault, RequestFault, ServerRequest } from "../network/network.ts";
import type { Random } from "../random/random.ts";
import type { FaultKind, World } from "../run/world.ts";
import { type PlannedEvent, processNames, type Setup } from "../scenario/scenario.ts";
import { numberOf, spreadDuration, textOf } from "./details.ts";

/** What refusals ask their senders to wait for at most. */
export const maxRetryAfterSeconds = 30;

/** Which requests an event concerns. */
const kinds: Readonly<Record<string, (request: ServerRequest) => boolean>> = {
  all: () => true,
  reads: ({ method }) => method === "GET",
  writes: ({ method }) => method !== "GET",
  scales: ({ path, method }) => method !== "GET" && path.endsWith("/scale"),
  statuses: ({ path, method }) => method !== "GET" && path.endsWith("/status"),
  leases: ({ path }) => path.includes("/leases/"),
  metrics: ({ path }) => path.includes("metrics.k8s.io/"),
};

/** Whose requests, which, and how many of them. */
function drawScope(random: Random, setup: Setup): Readonly<Record<string, unknown>> {
  return {
    // Also those of all processes at once.
    process: random.chance(0.3) ? "" : random.pick(["", ...processNames(setup)]),
    of: random.pick(["all", ...Object.keys(kinds)]),
    probability: random.pick([0.05, 0.2, 0.5, 1]),
  };
}

/** A kind of fault that gives the requests of its scope one fate. */
function requestFault(
  draw: (random: Random) => Readonly<Record<string, unknown>>,
  fateOf: (event: PlannedEvent) => RequestFault,
): FaultKind {
  return {
    draw: (random, setup) => ({ ...drawScope(random, setup), ...draw(random) }),
    maxForMs: 5 * minuteMs,
    begin: ({ network }: World, event) => network.add(scoped(event, fateOf(event))),
  };
}

/** The fate of the requests that the details of an event name. */
export function scoped(event: PlannedEvent, fate: RequestFault): NetworkFault {
  const process = textOf(event, "process");
  const probability = numberOf(event, "probability");
  const concerns = kinds[textOf(event, "of")];
  if (concerns === undefined) throw new Error(`${event.kind}: there are no such requests`);
  const stream = `fault ${event.id}`;
  return {
    ofRequest(request, random) {
      if ((process !== "" && request.caller !== process) || !concerns(request)) return undefined;
      return random.stream(stream).chance(probability) ? fate : undefined;
    },
  };
}

export const requestFaults: Readonly<Record<string, FaultKind>> = {
  "requests-lost": requestFault(
    (random) => ({ isReset: random.chance(0.5) }),
    ({ details }) => ({ type: "lost-before", isReset: details["isReset"] === true }),
  ),
  "responses-lost": requestFault(
    (random) => ({ isReset: random.chance(0.5) }),
    ({ details }) => ({ type: "lost-after", isReset: details["isReset"] === true }),
  ),
  "requests-refused": requestFault(
    (random) => ({
      code: random.pick([409, 410, 429, 500, 503]),
      retryAfterSeconds: random.pick([0, 1, 5, maxRetryAfterSeconds]),
    }),
    (event) => {
      const seconds = numberOf(event, "retryAfterSeconds");
      const code = numberOf(event, "code") as Extract<RequestFault, { type: "status" }>["code"];
      return { type: "status", code, ...(seconds > 0 ? { retryAfterSeconds: seconds } : {}) };
    },
  ),
  /** Each request has a connection of its own, so that a delayed one is overtaken by others. */
  "requests-delayed": requestFault(
    (random) => ({
      requestMs: spreadDuration(random.next(), 10, minuteMs),
      responseMs: spreadDuration(random.next(), 10, 20_000),
    }),
    (event) => ({
      type: "delay",
      requestMs: numberOf(event, "requestMs"),
      responseMs: numberOf(event, "responseMs"),
    }),
  ),
  /** Everything works but the writing of statuses. */
  "statuses-refused": {
    draw: (random) => ({ probability: random.pick([0.3, 0.7, 1]) }),
    weight: 2,
    maxForMs: 10 * minuteMs,
    begin: ({ network }, event) =>
      network.add(
        scoped(
          { ...event, details: { ...event.details, process: "", of: "statuses" } },
          { type: "status", code: 500 },
        ),
      ),
  },
  /** A process that lives on without its network: nothing arrives, open watches stay silent. */
  "cut-off": {
    draw(random, setup) {
      const [first, ...rest] = processNames(setup);
      return first === undefined ? undefined : { process: random.pick([first, ...rest]) };
    },
    weight: 2,
    maxForMs: 3 * minuteMs,
    begin({ network, prometheus }, event) {
      const process = textOf(event, "process");
      const removals = [
        network.add({
          ofRequest: ({ caller }) => (caller === process ? { type: "lost-before" } : undefined),
          ofWatch: ({ caller }) => (caller === process ? { type: "half-open" } : undefined),
        }),
        prometheus.add({
          ofRequest: (_, sender) => (sender === process ? { type: "silent" } : undefined),
        }),
      ];
      return () => {
        for (const remove of removals) remove();
      };
    },
  },
};
