// Requests to the adapter, against a bare HTTPS server that sends the same bytes.
import type { CaseResult } from "../adapter/cases.ts";
import { runJson } from "../goals/run-json.ts";
import type { Session } from "../goals/session.ts";
import type { Check } from "./check.ts";

/** By the beginning of a case's name: cached, and for a request that was not seen before. */
const bounds: Readonly<Record<string, { readonly warm: number; readonly cold: number }>> = {
  discovery: { warm: 3, cold: 4 },
  external: { warm: 3, cold: 6 },
  object: { warm: 3, cold: 6 },
  "pods/*, 1 pod": { warm: 3, cold: 6 },
  "pods/*, 100": { warm: 1.2, cold: 4 },
  "metrics.k8s.io": { warm: 0.9, cold: 5 },
};

export async function measureRequests(session: Session): Promise<readonly Check[]> {
  const program = new URL("../adapter/main.ts", import.meta.url);
  const args = ["--no-mixed", "--no-real", "--rounds", "8", "--turn-ms", "150"];
  const { cases } = await runJson<{ readonly cases: readonly CaseResult[] }>(session, program, args);
  return cases.flatMap((one) => {
    const bound = Object.entries(bounds).find(([start]) => one.case.name.startsWith(start))?.[1];
    if (bound === undefined) return [];
    const floor = one[one.case.floor].cpuMicros;
    const check = (kind: "warm" | "cold", { cpuMicros }: CaseResult["ours"]): Check => ({
      what: `adapter, ${one.case.name}, ${kind} / bare server`,
      ratio: cpuMicros / floor,
      atMost: bound[kind],
      of: `${cpuMicros.toFixed(0)} and ${floor.toFixed(0)} µs`,
    });
    return [check("warm", one.ours), check("cold", one.asNew)];
  });
}
