// What every program does at its start and its end.

import { readFile } from "node:fs/promises";
import { inspect } from "node:util";
import { redact } from "@plimsoll/core/redact";

/** Resolves at the first SIGTERM or SIGINT; a second one ends the process at once. */
export function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let isStopping = false;
    const onSignal = (signal: NodeJS.Signals): void => {
      if (isStopping) process.exit(1);
      isStopping = true;
      resolve(signal);
    };
    process.on("SIGTERM", onSignal);
    process.on("SIGINT", onSignal);
  });
}

/** An error that nothing catches ends the process and is printed, as Node does it, but without secrets. */
export function hideSecretsOfCrashes(): void {
  process.on("uncaughtException", (error) => {
    process.stderr.write(`${redact(inspect(error))}\n`);
    process.exit(1);
  });
}

interface Description {
  readonly version?: string;
  /** The commit that a released program was made from; npm uses the name too. */
  readonly gitHead?: string;
}

/**
 * The version in the package.json one folder above a program's main module, with the commit where that file has one:
 * `0.1.0+1a2b3c4d`. @param main its import.meta.url.
 */
export async function packageVersion(main: string): Promise<string> {
  const text = await readFile(new URL("../package.json", main), "utf8");
  const { version = "unknown", gitHead } = JSON.parse(text) as Description;
  return gitHead === undefined ? version : `${version}+${gitHead.slice(0, 8)}`;
}
