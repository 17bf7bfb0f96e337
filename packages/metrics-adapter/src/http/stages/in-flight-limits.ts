// The stage that limits requests in flight.
import type { Awaitable } from "@plimsoll/component-base";
import { tooManyRequests } from "../../api/failure.ts";
import { failed } from "../../api/reply.ts";
import type { Telemetry } from "../../telemetry/http.ts";
import type { ApiContext } from "../request-context.ts";
import type { RequestKind } from "../route.ts";
import type { Outcome, Stage } from "../stage.ts";

export interface InFlightLimiter {
  readonly inFlight: Readonly<Record<RequestKind, number>>;
  /** False at the limit; else `leave` must follow once. */
  tryEnter(kind: RequestKind): boolean;
  leave(kind: RequestKind): void;
}

/**
 * One limit for each kind, so that no number of metric requests delays discovery and health: kube-apiserver removes
 * the whole API when discovery does not respond.
 */
export function createInFlightLimiter(limits: Readonly<Record<RequestKind, number>>): InFlightLimiter {
  const inFlight = { metrics: 0, federated: 0, system: 0 };
  return {
    inFlight,
    tryEnter(kind) {
      if (inFlight[kind] >= limits[kind]) return false;
      inFlight[kind] += 1;
      return true;
    },
    leave(kind) {
      inFlight[kind] -= 1;
    },
  };
}

/** Refuses requests above the limit of their kind. */
export function inFlightLimits<C extends ApiContext>(options: {
  readonly limiter: InFlightLimiter;
  readonly telemetry: Pick<Telemetry, "refused">;
}): Stage<C> {
  const { limiter, telemetry } = options;
  return (next) => (context) => {
    const kind = context.route?.kind ?? "system";
    if (!limiter.tryEnter(kind)) {
      telemetry.refused("overload");
      return failed(tooManyRequests);
    }
    let outcome: Awaitable<Outcome> | undefined;
    try {
      outcome = next(context);
    } finally {
      if (!(outcome instanceof Promise)) limiter.leave(kind);
    }
    return outcome instanceof Promise ? outcome.finally(() => limiter.leave(kind)) : outcome;
  };
}
