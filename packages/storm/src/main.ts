// The command storm: simulated hours of the whole control loop, with faults drawn from a seed.
import { messageOf } from "@plimsoll/component-base";
import { stopSignal } from "@plimsoll/component-base/process";
import { readOptions, usage } from "./options/options.ts";
import { drawSetup, parts } from "./run/real-parts.ts";
import { storm } from "./session/storm.ts";
import { createWatchdog } from "./watchdog/watchdog.ts";

const args = process.argv.slice(2);
if (args.includes("--help")) process.stdout.write(`${usage}\n`);
else {
  const interruption = new AbortController();
  const watchdog = await createWatchdog();
  void stopSignal().then(() => interruption.abort());
  try {
    const print = (line: string) => process.stdout.write(`${line}\n`);
    process.exitCode = await storm(readOptions(args), {
      print,
      signal: interruption.signal,
      parts,
      drawSetup,
      watchdog,
    });
  } catch (error) {
    process.stderr.write(`storm: ${messageOf(error)}\n`);
    process.exitCode = 2;
  } finally {
    await watchdog.stop();
  }
}
