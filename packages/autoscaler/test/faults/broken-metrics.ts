// Metrics APIs whose answers are broken.
import type { ServerResponse } from "node:http";
import { type FakeApi, failure, type Reply } from "../fake-api.ts";
import { type MetricKind, metricKinds, replicasOf } from "./metric-kinds.ts";

/** Long enough for a healthy answer on a busy machine. */
export const longTimeoutMs = 60_000;
export const mebibyte = 1024 * 1024;

export const json = (body: unknown): Reply => ({ code: 200, body });

export const raw = (send: (response: ServerResponse) => void): Reply => ({ code: 0, body: undefined, send });

export const unreachable = (why: string) =>
  failure(503, "ServiceUnavailable", `error trying to reach service: dial tcp 10.0.0.1:443: ${why}`);

/** From now on every kind is answered like this, until the returned function is called. */
export function breakAll(api: FakeApi, reply: (kind: MetricKind) => Reply): () => void {
  let isBroken = true;
  for (const kind of metricKinds) {
    const path = new RegExp(`^${kind.path.replaceAll("*", "\\*")}$`);
    api.script("GET", path, () => (isBroken ? reply(kind) : undefined), Number.POSITIVE_INFINITY);
  }
  return () => {
    isBroken = false;
  };
}

export function conditionOf(api: FakeApi, name: string, type: string): unknown {
  const { status } = api.get("horizontalpodautoscalers", "default", name);
  const { conditions = [] } = (status ?? {}) as { conditions?: readonly { readonly type: string }[] };
  return conditions.find((condition) => condition.type === type);
}

export const counts = (api: FakeApi) => metricKinds.map(({ name }) => replicasOf(api, name));
