// Requests to the adapter, against a bare HTTPS server that sends the same bytes.
import { runJson } from "../goals/run-json.ts";
import type { Session } from "../goals/session.ts";
import type { Check } from "./check.ts";
import type { RequestCost } from "./request-costs.ts";

/** By the beginning of a case's name: cached, and for a request that was not seen before. */
const bounds: Readonly<Record<string, { readonly warm: number; readonly cold: number }>> = {
  discovery: { warm: 2.6, cold: 3.6 },
  external: { warm: 2.5, cold: 4.2 },
  object: { warm: 2.5, cold: 4.2 },
  "pods/*, 1 pod": { warm: 2.5, cold: 4.2 },
  "pods/*, 100": { warm: 1.25, cold: 3.6 },
  "metrics.k8s.io": { warm: 0.8, cold: 3.4 },
};

export async function measureRequests(session: Session): Promise<readonly Check[]> {
  const costs = await runJson<readonly RequestCost[]>(
    session,
    new URL("./request-costs.ts", import.meta.url),
    [],
  );
  return costs.flatMap(({ name, floor, ...ours }) => {
    const bound = Object.entries(bounds).find(([start]) => name.startsWith(start))?.[1];
    if (bound === undefined) return [];
    return (["warm", "cold"] as const).map((kind) => ({
      what: `adapter, ${name}, ${kind} / bare server`,
      ratio: ours[kind] / floor,
      atMost: bound[kind],
      of: `${ours[kind].toFixed(0)} and ${floor.toFixed(0)} µs`,
    }));
  });
}
