// The documents of the autoscaler, passed on; about an object of which it has no decision, one is recomputed.
import { ApiError } from "@plimsoll/kube";
import type { Endpoint } from "../../endpoint/endpoint.ts";
import type { ObjectKey } from "../documents.ts";
import type { DecisionData } from "./source.ts";

const words = {
  apiservice: "through the API server",
  "port-forward": "port-forward to the autoscaler",
  server: "the autoscaler's own address",
} as const;

export function recordedData({ way, relay }: Endpoint, recomputing: DecisionData): DecisionData {
  const orRecomputed = async (
    read: () => Promise<unknown>,
    again: () => Promise<unknown>,
  ): Promise<unknown> => {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 404) throw error;
      try {
        return await again();
      } catch {
        // What the autoscaler says of it is nearer to the question.
        throw error;
      }
    }
  };
  return {
    source: "recorded",
    via: words[way],
    records: { ok: true },
    shadowPart: { ok: true },
    summary: (query) => relay.summary(query),
    decisions: (object: ObjectKey, query) =>
      orRecomputed(
        () => relay.decisions(object, query),
        () => recomputing.decisions(object, query),
      ),
    record: (object, query) =>
      orRecomputed(
        () => relay.record(object, query),
        () => recomputing.record(object, query),
      ),
    shadow: () => relay.shadow(),
    stream: (request) => relay.stream(request),
  };
}
