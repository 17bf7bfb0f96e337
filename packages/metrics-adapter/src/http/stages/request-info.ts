// The stage that parses the request and finds its route.
import type { CacheMeter } from "@plimsoll/component-base";
import { badRequest } from "../../api/failure.ts";
import { failed } from "../../api/reply.ts";
import { createRequestReader } from "../../api/request-info.ts";
import type { Telemetry } from "../../telemetry/http.ts";
import type { ApiContext } from "../request-context.ts";
import type { Router } from "../route.ts";
import type { Stage } from "../stage.ts";

export interface RequestInfoOptions {
  readonly isAlwaysAllowed: (path: string) => boolean;
  readonly router: Router;
  readonly telemetry: Pick<Telemetry, "refused">;
  readonly meter?: CacheMeter | undefined;
}

/** Reads what is requested, and finds the route of it. */
export function requestInfo<C extends ApiContext>({
  isAlwaysAllowed,
  router,
  telemetry,
  meter,
}: RequestInfoOptions): Stage<C> {
  const readRequest = createRequestReader(meter);
  return (next) => (context) => {
    const { method = "", url = "" } = context.request;
    const parsed = readRequest(method, url);
    if (!parsed.ok) {
      telemetry.refused("malformed");
      return failed(badRequest(parsed.message));
    }
    const { info } = parsed;
    context.info = info;
    context.route = router(info);
    context.api = context.route?.api ?? "other";
    context.isOpen = isAlwaysAllowed(info.path);
    return next(context);
  };
}
