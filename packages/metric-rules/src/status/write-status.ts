// Writes one status, where it differs.
import { type Clock, sleep, steadyNowMs } from "@plimsoll/component-base";
import { group } from "@plimsoll/core/internal/objects";
import { isConflict, isNotFound, type KubeClient, type KubeObject, replaceStatus } from "@plimsoll/kube";
import { kind, type RuleStatus, resource, version, type WatchedRule } from "../kind/kind.ts";
import { isSameStatus, nextStatus, type StatusParts } from "./next-status.ts";

export interface WriteSeams {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly pace: Pace;
}

/** Resolves when it is the caller's turn. */
export type Pace = (signal: AbortSignal) => Promise<void>;

type Written = "done" | "conflict" | { readonly error: unknown };

/**
 * The version and the uid of the object are sent along: a status of an older generation, or of an object that has been
 * deleted and created again, is refused by the server.
 */
export async function writeStatus(
  { client, clock, pace }: WriteSeams,
  rule: WatchedRule,
  parts: Pick<StatusParts, "decided" | "check"> & { readonly signal: AbortSignal },
): Promise<Written> {
  const { decided, check, signal } = parts;
  const { generation = 0, name, namespace, uid, resourceVersion } = rule.metadata;
  const status = nextStatus({ generation, decided, check, former: rule.status, nowMs: clock.nowMs() });
  if (isSameStatus(rule.status, status)) return "done";
  await pace(signal);
  if (signal.aborted) return "done";
  const metadata = {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
  const object: KubeObject & { readonly status: RuleStatus } = {
    apiVersion: `${group}/${version}`,
    kind,
    metadata,
    status,
  };
  try {
    await replaceStatus(client, { group, version, resource }, object);
    return "done";
  } catch (error) {
    if (isConflict(error)) return "conflict";
    return isNotFound(error) ? "done" : { error };
  }
}

/** One after the other, at least so far apart. */
export function createPace(clock: Clock, intervalMs: number): Pace {
  let nextMs = Number.NEGATIVE_INFINITY;
  return async (signal) => {
    const nowMs = steadyNowMs(clock);
    const atMs = Math.max(nowMs, nextMs);
    nextMs = atMs + intervalMs;
    if (atMs > nowMs) await sleep(clock, atMs - nowMs, signal);
  };
}
