// The stage that negotiates the media type of the response.
import { methodNotAllowed, notAcceptable } from "../../api/failure.ts";
import { acceptedMediaTypes, negotiate } from "../../api/negotiate.ts";
import { failed } from "../../api/reply.ts";
import type { ApiContext } from "../request-context.ts";
import type { Handler } from "../stage.ts";

/** Chooses the representation that the caller accepts. The APIs are read-only. */
export const negotiation =
  <C extends ApiContext>(next: Handler<C>): Handler<C> =>
  (context) => {
    if (context.info.method !== "GET") return failed(methodNotAllowed);
    const representation = negotiate(context.request.headers.accept, context.route?.conversions ?? []);
    if (representation === undefined) return failed(notAcceptable(acceptedMediaTypes));
    context.representation = representation;
    return next(context);
  };
