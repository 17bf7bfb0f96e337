// Creates the JSON logger of a process.
import { cutText, redact } from "@plimsoll/core/redact";
import { pino } from "pino";
import { codeOfLog } from "../catalog/catalog.ts";
import type { Logger } from "./logger.ts";

/** From the most to the least verbose. */
export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
/** Lines below the level are not written. */
export type LogLevel = (typeof logLevels)[number];

/**
 * Writes each line as one JSON object with `level`, `time` (RFC 3339), `msg` and the fields, without secrets. A message
 * of the catalog has its `code`. Texts of a long line are cut: an object or a server may have written them.
 */
export function createLogger(level: LogLevel, output: { write(line: string): void }): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: {
        streamWrite: (line) => redact(line.length > maxLine ? shortLine(line) : line),
        logMethod([fields, message], write) {
          const code = typeof message === "string" ? codeOfLog(message) : undefined;
          write.call(this, code === undefined ? fields : { code, ...(fields as object) }, message);
        },
      },
    },
    output,
  );
}

/** In characters; lines of ours have a few hundred. */
const maxLine = 8_192;
const maxItems = 20;

/** The same line with its texts cut; what is still too long is left out. */
function shortLine(line: string): string {
  const { level, time, msg, code, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const head = { level, time, msg, code };
  const whole = JSON.stringify({ ...head, ...(shortValue(fields) as object) });
  const short =
    whole.length <= 2 * maxLine ? whole : JSON.stringify({ ...head, leftOut: Object.keys(fields).length });
  return `${short}\n`;
}

function shortValue(value: unknown): unknown {
  // Hidden before it is cut: the start of a secret is not recognized.
  if (typeof value === "string") return cutText(redact(value));
  if (Array.isArray(value)) {
    const items = value.slice(0, maxItems).map(shortValue);
    return value.length > maxItems ? [...items, `and ${value.length - maxItems} more`] : items;
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, maxItems)
      .map(([key, inner]) => [cutText(key), shortValue(inner)]),
  );
}
