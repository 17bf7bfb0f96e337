// Wires the writer of the records that --record-inputs asks for.
import type { Clock, Logger } from "@plimsoll/component-base";
import type { Registry } from "prom-client";
import { openRecordDirectory } from "../decisions/record-files/record-directory.ts";
import { createRecordWriter, type RecordWriter } from "../decisions/record-files/record-writer.ts";
import type { AutoscalerConfig } from "../options/config.ts";
import { registerLostRecords } from "../telemetry/telemetry.ts";

export interface RecordWriterDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly registry: Registry;
  /** Of this process, in the names of files. */
  readonly identity: string;
}

/** Undefined: no records are written. */
export function recordWriter(
  { recordInputs }: Pick<AutoscalerConfig, "recordInputs">,
  { clock, log, registry, identity }: RecordWriterDeps,
): RecordWriter | undefined {
  if (recordInputs === undefined) return undefined;
  const { directory, maxBytes } = recordInputs;
  const name = identity.replaceAll(/[^-\w.]/g, "_").slice(0, 80);
  const open = () => openRecordDirectory(directory);
  const records = createRecordWriter({ open, maxBytes, name, clock, log });
  registerLostRecords(registry, () => records.lost);
  return records;
}
