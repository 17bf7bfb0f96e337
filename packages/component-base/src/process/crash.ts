import { inspect } from "node:util";
import { redact } from "@plimsoll/core/redact";

/** An error that nothing catches ends the process and is printed, as Node does it, but without secrets. */
export function hideSecretsOfCrashes(): void {
  process.on("uncaughtException", (error) => {
    process.stderr.write(`${redact(inspect(error))}\n`);
    process.exit(1);
  });
}
