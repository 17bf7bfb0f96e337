// The stage that limits requests in flight.
import type { Awaitable } from "@plimsoll/component-base";
import type { InFlightLimiter } from "@plimsoll/kube/serving";
import { tooManyRequests } from "../../api/failure.ts";
import { failed } from "../../api/reply.ts";
import type { Telemetry } from "../../telemetry/http.ts";
import type { ApiContext } from "../request-context.ts";
import type { RequestKind } from "../route.ts";
import type { Outcome, Stage } from "../stage.ts";

/** Refuses requests above the limit of their kind. */
export function inFlightLimits<C extends ApiContext>(options: {
  readonly limiter: InFlightLimiter<RequestKind>;
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
