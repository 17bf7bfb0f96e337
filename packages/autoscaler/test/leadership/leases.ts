// Leases of tests, and processes that lose them.
import type { CoordinationConfig } from "../../src/leadership/coordination.ts";
import { type FakeApi, failure } from "../fake-api.ts";
import { type Rig, wanting } from "../harness.ts";

export const leases = {
  leaseDurationMs: 2000,
  renewDeadlineMs: 1200,
  retryPeriodMs: 200,
  resourceName: "autoscaler",
  resourceNamespace: "default",
};

export const leader: CoordinationConfig = { mode: "leader", ...leases };

export const shards: CoordinationConfig = { mode: "shards", shards: 4, ...leases };

export const names = ["a1", "b2", "c3", "d4", "e5", "f6", "g7", "h8"];

export const startMs = Date.parse("2030-01-01T00:00:00Z");

export const five = wanting(() => 5);

/** The next lease requests of this one fail, as behind a broken link. */
export function cutOff(api: FakeApi, identity: string, requests = 100_000): void {
  const isIts = (body: unknown) => JSON.stringify(body ?? null).includes(identity);
  for (const method of ["PUT", "POST"]) {
    api.script(
      method,
      /\/leases/,
      ({ body }) => (isIts(body) ? failure(503, "ServiceUnavailable", "cut off") : undefined),
      requests,
    );
  }
}

export function evaluated({ autoscaler }: Rig): readonly string[] {
  return autoscaler.decisions.latest().map(({ name }) => name);
}

/** Objects that a process reports: those with decisions, and those that a series names. */
export async function reported(one: Rig): Promise<{ readonly decided: string[]; readonly series: string[] }> {
  const text = await (await fetch(`${one.url}/metrics`)).text();
  const named = /^(plimsoll_\w+)\{[^}]*\b(?:hpa_name|horizontalpodautoscaler)="([^"]+)"/gm;
  const series = [...text.matchAll(named)].map(([, name, object]) => `${name} ${object}`);
  return { decided: [...evaluated(one)].sort(), series: [...new Set(series)].sort() };
}
