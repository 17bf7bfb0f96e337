// What the server has that the page was loaded from: the autoscaler has no index, and everything in it is known.
import type { ConsoleIndex } from "@plimsoll/decisions";
import { paths } from "@plimsoll/decisions";
import type { Client, Failure, Result } from "./client.ts";

/** The parts of the server, and what it is. */
export type Server = Omit<ConsoleIndex, "schema" | "version"> & { readonly isLocal: boolean };

/** The autoscaler's own endpoint. */
export const autoscalerServer: Server = {
  isLocal: false,
  source: "recorded",
  via: "the autoscaler's endpoint",
  parts: {
    stream: { ok: true },
    records: { ok: true },
    shadow: { ok: true },
    findings: {
      ok: false,
      reason: "All rules of the doctor are checked by kubectl plimsoll console and kubectl plimsoll doctor.",
    },
    history: {
      ok: false,
      reason: "Longer histories come from Prometheus: kubectl plimsoll console --prometheus-url URL.",
    },
  },
};

/** Where decisions come from, in a sentence. */
export function sourceText({ source, via }: Pick<Server, "source" | "via">): string {
  return source === "recomputed" ? `Decisions are ${via}.` : `Decisions of the autoscaler: ${via}.`;
}

export const defaultPeriodMs = 15_000;

/** A server without an index is the autoscaler. */
export async function readServer(client: Client): Promise<Result<Server>> {
  const index = await client.get<ConsoleIndex>(paths.index);
  if (index.ok) return { ok: true, value: { ...index.value, isLocal: true } };
  return isMissing(index.failure) ? { ok: true, value: autoscalerServer } : index;
}

/** Documents that say the same: nothing is drawn again. */
export function isSameServer(one: Server, other: Server): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Where reading a path needs no rights, one that is not there may also be forbidden. */
function isMissing({ status }: Failure): boolean {
  return status === 404 || status === 403;
}
