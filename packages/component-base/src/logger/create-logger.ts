// Creates the JSON logger of a process.
import { redact } from "@plimsoll/core/redact";
import { pino } from "pino";
import { codeOfLog } from "../catalog/catalog.ts";
import type { Logger } from "./logger.ts";

/** From the most to the least verbose. */
export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
/** Lines below the level are not written. */
export type LogLevel = (typeof logLevels)[number];

/**
 * Writes each line as one JSON object with `level`, `time` (RFC 3339), `msg` and the fields, without secrets. A message
 * of the catalog has its `code`.
 */
export function createLogger(level: LogLevel, output: { write(line: string): void }): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: {
        streamWrite: (line) => redact(line),
        logMethod([fields, message], write) {
          const code = typeof message === "string" ? codeOfLog(message) : undefined;
          write.call(this, code === undefined ? fields : { code, ...(fields as object) }, message);
        },
      },
    },
    output,
  );
}
