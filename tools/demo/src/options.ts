// The command line of the demo.
import { parseArgs } from "node:util";

export interface DemoOptions {
  readonly speed: "full" | "fast";
  readonly keep: boolean;
}

export const usage = `npm run demo -- [--fast] [--keep]

  --fast   a scenario of under half a minute instead of two minutes
  --keep   leave everything running afterwards, for your own kubectl
  --help   this text`;

/** @throws TypeError that names the flag when one is unknown. */
export function parseDemoOptions(argv: readonly string[]): DemoOptions | "help" {
  const { values } = parseArgs({
    args: [...argv],
    options: { fast: { type: "boolean" }, keep: { type: "boolean" }, help: { type: "boolean", short: "h" } },
  });
  if (values.help) return "help";
  return { speed: values.fast ? "fast" : "full", keep: values.keep ?? false };
}
