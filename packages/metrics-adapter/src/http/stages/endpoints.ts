// The stage of paths outside the metrics APIs: health, version, metrics, OpenAPI.
import type { RequestContext } from "../request-context.ts";
import type { Stage } from "../stage.ts";

/** Writes the response by itself. */
export type Endpoints = (context: RequestContext) => void;

/** Hands over what lies outside of /apis: health, metrics, version, OpenAPI and unknown paths. */
export function endpoints(serve: Endpoints): Stage {
  return (next) => (context) => {
    if (context.route !== undefined) return next(context);
    serve(context);
    return "sent";
  };
}
