// The record of one decision: its inputs, from which it can be made again.
import { type DecisionRecord, decodeRecord, RecordError } from "@plimsoll/core";
import { keyOf, type ObjectKey, paths } from "@plimsoll/decisions";
import { useConsole } from "../context/console.ts";
import type { Client, Failure, Result } from "../data/client.ts";
import { type Loader, useLoader } from "../data/load.ts";

/** The record of a decision; without `at` of the newest one. It does not change: it is read once. */
export function useRecord(key: ObjectKey, at: string | undefined): Loader<DecisionRecord> {
  const { client, signedIn } = useConsole();
  return useLoader(`${keyOf(key)} ${at ?? ""} ${signedIn.value}`, (signal) =>
    readRecord(client, key, at, signal),
  );
}

async function readRecord(
  client: Client,
  key: ObjectKey,
  at: string | undefined,
  signal: AbortSignal,
): Promise<Result<DecisionRecord>> {
  const before = at === undefined ? undefined : justAfter(at);
  const text = await client.text(paths.record(key, before === undefined ? {} : { before }), { signal });
  if (!text.ok) return text;
  try {
    const record = decodeRecord(text.value);
    if (at === undefined || isOf(record, at)) return { ok: true, value: record };
    return { ok: false, failure: notKept(`the inputs of the decision of ${at} are not kept`) };
  } catch (error) {
    if (error instanceof RecordError) return { ok: false, failure: notKept(error.message) };
    throw error;
  }
}

/** `before` is exclusive. */
function justAfter(at: string): string {
  return new Date(Date.parse(at) + 1).toISOString();
}

/** The time of a record is to the second. */
function isOf({ input }: DecisionRecord, at: string): boolean {
  return Math.abs(input.nowMs - Date.parse(at)) < 1_000;
}

function notKept(message: string): Failure {
  return { status: 404, reason: "NotFound", message };
}
