// The process that plays the runs of the command storm. It reports them to the process that started it.
import { messageOf } from "@plimsoll/component-base";
import { stopSignal } from "@plimsoll/component-base/process";
import { readOptions } from "../options/options.ts";
import { drawSetup, parts } from "../run/real-parts.ts";
import { reportAlive, reportStatus } from "../supervisor/status.ts";
import { createWatchdog } from "../watchdog/watchdog.ts";
import { storm } from "./storm.ts";

const interruption = new AbortController();
const watchdog = await createWatchdog();
const stopReporting = reportAlive();
void stopSignal().then(() => interruption.abort());
try {
  const print = (line: string) => process.stdout.write(`${line}\n`);
  process.exitCode = await storm(readOptions(process.argv.slice(2)), {
    print,
    signal: interruption.signal,
    parts,
    drawSetup,
    watchdog,
    report: reportStatus,
  });
} catch (error) {
  process.stderr.write(`storm: ${messageOf(error)}\n`);
  process.exitCode = 2;
} finally {
  stopReporting();
  await watchdog.stop();
}
