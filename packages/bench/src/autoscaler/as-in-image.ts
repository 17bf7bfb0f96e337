// Builds the process of these sources as its image has it: one file.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Writes what the image holds into a folder; the path of the program. */
export function asInImage(folder: string): string {
  const main = fileURLToPath(new URL("../../../images/src/main.ts", import.meta.url));
  execFileSync(process.execPath, ["--conditions=@plimsoll/source", main, "autoscaler", folder]);
  return join(folder, "autoscaler");
}
