// Reads recordings of autoscalers out of a Prometheus.
import { HistoryError, type HistoryRead, readHistory } from "@plimsoll/backtest/prometheus";
import { redact, redactUrl } from "@plimsoll/core/redact";
import { type PrometheusClient, PrometheusError } from "@plimsoll/prometheus";
import { prometheusClient } from "../cluster/connect.ts";
import { createProgress } from "../output/progress.ts";
import { CliError, type CliSeams } from "../seams.ts";
import { type HistoryFlags, type HistorySettings, readHistoryFlags } from "./flags.ts";
import { type HistoryObject, openObjects } from "./objects.ts";
import { saveRecording } from "./save.ts";

/** A history that is refused for what was found in it: the command ends with 2. */
export class HistoryFinding extends CliError {}

/** A Prometheus and the autoscalers whose history it has. */
export interface History {
  /** @throws CliError with near names */
  find(text: string): Promise<HistoryObject>;
  /** All of the namespace, or of the manifest. @throws CliError */
  all(): Promise<readonly HistoryObject[]>;
  /** Also writes the file of --save. @throws CliError; what the signal throws */
  read(object: HistoryObject): Promise<HistoryRead>;
  close(): Promise<void>;
}

/** Needs --prometheus-url. `syncPeriodMs` is that of the controller. @throws CliError */
export async function openHistory(
  flags: HistoryFlags & { readonly prometheusUrl: string },
  syncPeriodMs: number,
  seams: CliSeams,
): Promise<History> {
  const settings = await readHistoryFlags(flags, seams);
  const { prometheusUrl: url, tokenFile, caFile } = flags;
  const { headers, queryTimeoutMs: timeoutMs } = settings;
  const client = await prometheusClient(url, { tokenFile, caFile, headers, timeoutMs, seams });
  try {
    const objects = await openObjects(flags, seams);
    return {
      find: objects.find,
      all: objects.all,
      async read(object) {
        const read = await readOne(object, { client, url, settings, syncPeriodMs, seams });
        if (flags.save !== undefined)
          await saveRecording(read.recording, flags.save, { isAnonymous: flags.anonymize === true });
        return read;
      },
      close: async () => {
        await Promise.allSettled([client.close(), objects.close()]);
      },
    };
  } catch (error) {
    await client.close();
    throw error;
  }
}

/** One autoscaler, from opening to closing. @throws CliError; what the signal throws */
export async function readOneHistory(
  text: string,
  flags: HistoryFlags & { readonly prometheusUrl: string },
  syncPeriodMs: number,
  seams: CliSeams,
): Promise<HistoryRead> {
  const history = await openHistory(flags, syncPeriodMs, seams);
  try {
    return await history.read(await history.find(text));
  } finally {
    await history.close();
  }
}

interface Reading {
  readonly client: PrometheusClient;
  readonly url: string;
  readonly settings: HistorySettings;
  readonly syncPeriodMs: number;
  readonly seams: CliSeams;
}

async function readOne(
  { name, object }: HistoryObject,
  { client, url, settings, syncPeriodMs, seams }: Reading,
): Promise<HistoryRead> {
  const { span, selector, rules, queries, level, isPartial } = settings;
  const { nowMs, signal } = seams;
  const progress = createProgress(0, seams, "queries");
  try {
    return await readHistory({
      client,
      object,
      span,
      selector,
      ...(rules === undefined ? {} : { rules }),
      queries,
      level,
      syncPeriodMs,
      isPartial,
      nowMs,
      signal,
      onProgress: ({ done, planned }) => progress.to(done, planned),
    });
  } catch (error) {
    if (signal.aborted) throw error;
    throw described(error, { name, url });
  } finally {
    progress.end();
  }
}

function described(error: unknown, { name, url }: { readonly name: string; readonly url: string }): unknown {
  if (error instanceof PrometheusError || (error instanceof HistoryError && error.code === "prometheus"))
    return new CliError(`${name}: cannot query Prometheus at ${redactUrl(url)}: ${redact(error.message)}`);
  if (!(error instanceof HistoryError)) return error;
  const message = error.message.startsWith(name) ? error.message : `${name}: ${error.message}`;
  return error.code === "gaps" ? new HistoryFinding(message) : new CliError(message);
}
