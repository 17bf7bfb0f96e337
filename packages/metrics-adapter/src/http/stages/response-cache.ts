// The stage that serves cached responses.
import { chain } from "@plimsoll/component-base";
import type { Stage } from "../stage.ts";

/** Ends a request whose response is cached. */
export const responseCache: Stage = (next) => (context) => {
  const { info, route } = context;
  const cache = route?.cache;
  if (cache === undefined) return next(context);
  const cached = cache.find(info);
  if (cached !== undefined) return cached;
  return chain(next(context), (outcome) => (outcome === "sent" ? outcome : cache.offer(info, outcome)));
};
