// The last stage: queries the provider.
import { hopHeader } from "@plimsoll/federation";
import { routeNotFound } from "../../api/failure.ts";
import { failed } from "../../api/reply.ts";
import type { ApiContext } from "../request-context.ts";
import type { Handler } from "../stage.ts";
import { signalOf } from "./deadline.ts";

/** Queries the provider of the route. */
export const provider: Handler<ApiContext> = (context) => {
  const { info, route, representation, request } = context;
  if (route === undefined) return failed(routeNotFound);
  return route.run({
    info,
    conversion: representation.conversion,
    ifNoneMatch: request.headers["if-none-match"],
    signal: () => signalOf(context),
    auditId: context.auditId,
    isHandedOn: request.headers[hopHeader] !== undefined,
  });
};
