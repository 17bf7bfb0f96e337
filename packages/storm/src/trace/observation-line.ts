// The line of an observation in the trace.
import type { Observation } from "../run/world.ts";

export function observationLine(observation: Observation): string {
  switch (observation.kind) {
    case "written": {
      const { writer, event } = observation;
      const { namespace = "", name } = event.object.metadata;
      return `written ${writer} ${event.type} ${event.resource} ${namespace}/${name} ${event.version}`;
    }
    case "decided": {
      const { process, input, result } = observation;
      const { metadata } = input.hpa;
      const { currentReplicas, desiredReplicas, scaleTo } = result.decision;
      return `decided ${process} ${metadata?.namespace ?? ""}/${metadata?.name ?? ""} ${currentReplicas} ${desiredReplicas} ${scaleTo ?? "-"}`;
    }
    case "served":
      return `served ${observation.process} ${observation.path} ${observation.code} ${observation.body}`;
    case "process":
      return `process ${observation.process} ${observation.change}`;
    case "fault": {
      const { event, change } = observation;
      return `fault ${event.id} ${event.kind} ${change} ${JSON.stringify(event.details)}`;
    }
    case "logged":
      return `logged ${observation.process} ${observation.message} ${JSON.stringify(observation.fields)}`;
    case "error":
      return `${observation.isUnhandled ? "unhandled" : "error"} ${observation.process} ${observation.message}`;
  }
}
