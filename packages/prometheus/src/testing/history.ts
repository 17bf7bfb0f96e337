// What a Prometheus of a test has seen before it starts: written into its folder as blocks, with exact instants.
import { execFile } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

/** Samples as regular scrapes would have brought them. */
export interface History {
  /** The lines of one scrape, without timestamps; `scrape` counts from 0. */
  readonly page: (scrape: number) => string;
  readonly fromMs: number;
  /** May lie ahead, so that "now" is within for as long as a test takes. */
  readonly toMs: number;
  readonly stepMs?: number;
}

/** The promtool that belongs to a Prometheus: beside it, or on the PATH. */
export function promtoolOf(prometheus: string): string {
  const beside = join(dirname(prometheus), "promtool");
  try {
    accessSync(beside, constants.X_OK);
    return beside;
  } catch {
    return "promtool";
  }
}

/** Writes a history into the folder of a Prometheus that is not running. */
export async function writeHistory(
  history: History,
  { promtool, data }: { readonly promtool: string; readonly data: string },
): Promise<void> {
  const file = `${data}.openmetrics`;
  await writeFile(file, openMetricsOf(history));
  const args = ["tsdb", "create-blocks-from", "openmetrics", file, data];
  await promisify(execFile)(promtool, args, { maxBuffer: 64 * 1024 * 1024 });
  await rm(file);
}

function openMetricsOf({ page, fromMs, toMs, stepMs = 1000 }: History): string {
  const pages: string[] = [];
  for (let [scrape, atMs] = [0, fromMs]; atMs <= toMs; scrape += 1, atMs += stepMs) {
    pages.push(page(scrape).replaceAll("\n", ` ${atMs / 1000}\n`));
  }
  return `${pages.join("")}# EOF\n`;
}
