// Processes that relay to each other.
import { type ManualClock, manualClock } from "@plimsoll/component-base/testing";
import { expect } from "vitest";
import type { AutoscalerConfig } from "../../src/index.ts";
import type { FakeApi } from "../fake-api.ts";
import { type Rig, rig, wanting, within, workload } from "../harness.ts";
import { type Attributes, reviews, secure, serving } from "./https-callers.ts";

export const leases = {
  leaseDurationMs: 2000,
  renewDeadlineMs: 1200,
  retryPeriodMs: 200,
  resourceName: "autoscaler",
  resourceNamespace: "default",
};

export const names = ["a1", "b2", "c3", "d4", "e5", "f6", "g7", "h8"];

const four = wanting(() => 4);

export const summary = "/apis/decisions/v1/summary";

export const account = "system:serviceaccount:plimsoll:autoscaler";

interface Given {
  readonly clock: ManualClock;
  readonly mode: "leader" | "shards";
  readonly may?: (user: string, what: Attributes) => boolean;
}

function configOf(mode: Given["mode"], isRelay = true): Partial<AutoscalerConfig> {
  const shared = isRelay ? { advertiseAddress: "127.0.0.1", relayTokenFile: "/relay/token" } : {};
  return {
    coordination: mode === "leader" ? { mode, ...leases } : { mode, shards: 4, ...leases },
    serving: { ...serving, secure: { ...secure, ...shared } },
    syncPeriodMs: 1000,
  };
}

function processOf(identity: string, { clock, mode, may = () => true }: Given, api?: FakeApi): Promise<Rig> {
  return rig({
    clock,
    decide: four,
    identity,
    hostname: `pod-${identity}`,
    readText: () => Promise.resolve(`relay-of-${account}\n`),
    config: configOf(mode),
    before: (own) => {
      if (api !== undefined) return;
      for (const name of names) workload(own, name);
      reviews(own, may);
      pods(own, ["127.0.0.1"]);
    },
    ...(api === undefined ? {} : { api }),
  });
}

/** Pods of the account that run, by address. */
function pods(api: FakeApi, addresses: readonly string[]): void {
  const selectors = addresses.map(
    (address) => `status.podIP=${address},spec.serviceAccountName=autoscaler,status.phase=Running`,
  );
  api.script(
    "GET",
    /\/namespaces\/plimsoll\/pods$/,
    ({ query }) => {
      const isFound = selectors.includes(query.get("fieldSelector") ?? "");
      return { code: 200, body: { kind: "PodList", metadata: {}, items: isFound ? [{ metadata: {} }] : [] } };
    },
    1000,
  );
}

/** Two processes. The first holds the lease, or each holds some shards. */
export async function two(
  options: Omit<Given, "clock">,
): Promise<{ clock: ManualClock; first: Rig; second: Rig }> {
  const clock = manualClock(Date.parse("2030-01-01T00:00:00Z"));
  const first = await processOf("first", { clock, ...options });
  await within(clock, 20_000, () => expect(first.autoscaler.decisions.latest()).toHaveLength(names.length));
  const second = await processOf("second", { clock, ...options }, first.api);
  const isDivided = () => {
    const counts = [first, second].map(({ autoscaler }) => autoscaler.decisions.latest().length);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(names.length);
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(options.mode === "shards" ? 1 : 0);
    const lease = first.api.list("leases").find(({ metadata }) => metadata["annotations"] !== undefined);
    expect(lease).toBeDefined();
  };
  await within(clock, 60_000, isDivided);
  // Each has seen what the other announced.
  await clock.advance(2000);
  return { clock, first, second };
}
