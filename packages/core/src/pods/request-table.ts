import type { Int64 } from "../number/int64.ts";
import type { Pod } from "../spec/pod.ts";
import { type RequestQuery, requestOf } from "./requests.ts";

/** Requests in the order of the pods; one pod without a request fails them all. */
export type RequestTable =
  | { readonly ok: true; readonly milli: readonly Int64[] }
  | { readonly ok: false; readonly message: string };

/** @upstream pkg/controller/podautoscaler/replica_calculator.go#calculateRequests */
export function requestTable(pods: readonly Pod[], query: RequestQuery): RequestTable {
  const milli: Int64[] = [];
  for (const pod of pods) {
    const request = requestOf(pod, query);
    if (typeof request === "string") return { ok: false, message: request };
    milli.push(request);
  }
  return { ok: true, milli };
}
