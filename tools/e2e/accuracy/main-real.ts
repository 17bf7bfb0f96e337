// Backtests the real controller on the real kube-state-metrics: npm run task -- accuracy-cluster --help
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { recordingLines } from "@plimsoll/backtest";
import { type Backtested, backtestReal } from "./backtest-real.ts";
import { barsOf, figureLines } from "./bars.ts";
import { withRealController } from "./real-controller.ts";

const usage = `usage: npm run task -- accuracy-cluster [--minutes N] [--folder DIR]

Half an hour of the real kube-controller-manager under load, recorded by kube-state-metrics and Prometheus, and backtested.
  --minutes N   how long it is recorded, 30 by default
  --folder DIR  an empty folder that is kept, with the data of Prometheus and both recordings`;

const { values } = parseArgs({
  options: { minutes: { type: "string" }, folder: { type: "string" }, help: { type: "boolean" } },
});

async function run(): Promise<number> {
  const minutes = Number(values.minutes ?? "30");
  if (!(minutes >= 5 && minutes <= 600))
    throw new Error(`--minutes ${values.minutes}: give a number from 5 to 600`);
  const folder =
    values.folder === undefined ? mkdtempSync(join(tmpdir(), "plimsoll-accuracy-")) : resolve(values.folder);
  const report = (line: string) => console.error(`accuracy: ${line}`);
  const found: Backtested[] = [];
  try {
    await withRealController({ folder, durationMs: minutes * 60_000 }, report, async (real) => {
      writeFileSync(join(folder, "run.json"), JSON.stringify(real));
      for (const level of ["series", "status"] as const) {
        const one = await backtestReal(real, level);
        writeFileSync(join(folder, `${level}.jsonl`), [...recordingLines(one.recording)].join(""));
        found.push(one);
      }
    });
  } finally {
    if (values.folder === undefined) rmSync(folder, { recursive: true, force: true });
  }
  for (const line of found.flatMap(figureLines)) console.log(line);
  const missed = found.flatMap(barsOf).filter(({ ok }) => !ok);
  for (const { text } of missed) console.log(`MISSED  ${text}`);
  return missed.length === 0 ? 0 : 1;
}

if (values.help === true) console.log(usage);
else process.exitCode = await run();
