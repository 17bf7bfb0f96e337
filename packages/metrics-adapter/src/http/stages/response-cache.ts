// The stage that serves cached responses.
import { chain } from "@plimsoll/component-base";
import type { ApiContext } from "../request-context.ts";
import type { Handler } from "../stage.ts";

/** Ends a request whose response is cached. */
export const responseCache =
  <C extends ApiContext>(next: Handler<C>): Handler<C> =>
  (context) => {
    const { info, route } = context;
    const cache = route?.cache;
    if (cache === undefined) return next(context);
    const cached = cache.find(info);
    if (cached !== undefined) return cached;
    return chain(next(context), (outcome) => (outcome === "sent" ? outcome : cache.offer(info, outcome)));
  };
