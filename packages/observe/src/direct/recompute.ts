// Decides again what the built-in controller decided, from what the API server shows now.

import {
  compareWithStatus,
  type DecideInput,
  decideWithUnknownHistory,
  type RescaleEvent,
  recordDecision,
} from "@plimsoll/core";
import { apiErrorText, type KubeClient } from "@plimsoll/kube";
import type { DirectReader } from "./direct-reader.ts";
import type { ServedObject } from "./namespace-objects.ts";
import type { Assumption, NotRecomputed, Recomputed } from "./recomputed.ts";
import { readEvents, rescalesAmong } from "./scale-events.ts";

export interface RecomputeDeps {
  readonly client: KubeClient;
  readonly reader: DirectReader;
  /** What was taken for granted of the controller. */
  readonly assumptions: readonly Assumption[];
}

/** API errors about the object's parts are part of the result; the options are those of the reader. */
export async function recompute(
  hpa: ServedObject,
  { client, reader, assumptions }: RecomputeDeps,
): Promise<Recomputed | NotRecomputed> {
  const [reading, rescales] = await Promise.all([reader.read(hpa), rescalesOf(client, hpa)]);
  if (reading.denied.length > 0) return { isReadable: false, denied: reading.denied };
  const { input } = reading;
  const decided = decideWithUnknownHistory(input, rescales.events);
  const { result, memory, history, desired } = decided;
  return {
    isReadable: true,
    decision: result.decision,
    record: recordDecision({ input, memory, result, applied: { outcome: appliedOf(result.decision) } }),
    assumptions: [...assumptions, ...reading.assumptions],
    comparison: compareWithStatus(input, memory, statusOf(input), {
      isHistoryUnknown: true,
      rescales: rescales.events,
    }),
    history,
    desired,
    notes: decided.notes,
    errors: rescales.errors,
  };
}

/** Another controller carries it out, or decides otherwise. */
function appliedOf({ scaleTo }: Recomputed["decision"]): "shadow" | "nothing-to-do" {
  return scaleTo === undefined ? "nothing-to-do" : "shadow";
}

function statusOf({ hpa }: DecideInput): DecideInput["hpa"]["status"] {
  const { status } = hpa;
  return (status?.conditions ?? []).length === 0 ? undefined : status;
}

/** Without events the past is known less, and everything else as before. */
async function rescalesOf(
  client: KubeClient,
  { metadata: { namespace = "", name, uid = "" } }: ServedObject,
): Promise<{ readonly events: readonly RescaleEvent[]; readonly errors: readonly string[] }> {
  try {
    return {
      events: rescalesAmong(
        await readEvents(client, { kind: "HorizontalPodAutoscaler", namespace, name, uid }),
      ),
      errors: [],
    };
  } catch (error) {
    return { events: [], errors: [`cannot read events: ${apiErrorText(error)}`] };
  }
}
