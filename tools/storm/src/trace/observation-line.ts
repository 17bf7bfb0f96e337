// The line of an observation in the trace.
import type { Observation, Observed } from "../run/world.ts";

type Lines = {
  readonly [Kind in Observation["kind"]]: (observation: Observed<Kind>) => string;
};

const lines: Lines = {
  written({ writer, event: { type, resource, object, version } }) {
    const { namespace = "", name } = object.metadata;
    return `written ${writer} ${type} ${resource} ${namespace}/${name} ${version}`;
  },
  decided({ process, input: { hpa }, result: { decision } }) {
    const { namespace = "", name = "" } = hpa.metadata ?? {};
    const { currentReplicas, desiredReplicas, scaleTo } = decision;
    return `decided ${process} ${namespace}/${name} ${currentReplicas} ${desiredReplicas} ${scaleTo ?? "-"}`;
  },
  sent({ process, request: { method, path, query, body = "" }, fault }) {
    const search = query.size === 0 ? "" : `?${query.toString()}`;
    return `sent ${process} ${method} ${path}${search} ${fault?.type ?? ""} ${body}`;
  },
  received: ({ process, request, code, body }) =>
    `received ${process} ${request.path} ${code} ${body?.length ?? "stream"}`,
  watched: ({ process, request, text }) => `watched ${process} ${request.path} ${text.length}`,
  served: ({ process, path, code, body }) => `served ${process} ${path} ${code} ${body}`,
  "adapter-served": ({ process, url, code }) => `adapter-served ${process} ${url} ${code}`,
  scraped: ({ process, pod, values }) => `scraped ${process} ${pod} ${JSON.stringify(values) ?? "-"}`,
  process: ({ process, change }) => `process ${process} ${change}`,
  fault: ({ event: { id, kind, details }, change }) =>
    `fault ${id} ${kind} ${change} ${JSON.stringify(details)}`,
  logged: ({ process, message, fields }) => `logged ${process} ${message} ${JSON.stringify(fields)}`,
  error: ({ process, message, isUnhandled }) =>
    `${isUnhandled ? "unhandled" : "error"} ${process} ${message}`,
};

export function observationLine<Kind extends Observation["kind"]>(observation: Observed<Kind>): string {
  return lines[observation.kind](observation);
}
