// The documents of the autoscaler, passed on; about an object of which it has no decision, one is recomputed.
import { ApiError } from "@plimsoll/kube";
import type { Endpoint } from "../../../endpoint/endpoint.ts";
import type { DecisionData } from "./source.ts";

const words = {
  apiservice: "through the API server",
  "port-forward": "port-forward to the autoscaler",
  server: "the autoscaler's own address",
} as const;

export function recordedData({ way, reader }: Endpoint, recomputing: DecisionData): DecisionData {
  return {
    ...reader,
    source: "recorded",
    via: words[way],
    records: { ok: true },
    shadowPart: { ok: true },
    decisions: (...asked) =>
      orElse(
        () => reader.decisions(...asked),
        () => recomputing.decisions(...asked),
      ),
    record: (...asked) =>
      orElse(
        () => reader.record(...asked),
        () => recomputing.record(...asked),
      ),
  };
}

async function orElse<T>(read: () => Promise<T>, recompute: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 404) throw error;
    // What the autoscaler says of it is nearer to the question than why nothing can be recomputed.
    return await recompute().catch(() => Promise.reject(error));
  }
}
