// Builds the process of these sources as its image has it: one file.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Writes what the image holds into a folder; the path of the program. */
export function asInImage(folder: string): string {
  const main = fileURLToPath(new URL("../../../release/src/images/main.ts", import.meta.url));
  execFileSync(process.execPath, ["--conditions=@plimsoll/source", main, "autoscaler", folder]);
  return join(folder, "autoscaler");
}

/** The variables that its image sets, such as "NAME=value". */
export function environmentInImage(): readonly string[] {
  const file = new URL("../../../../deploy/images/autoscaler/Dockerfile", import.meta.url);
  return [...readFileSync(file, "utf8").matchAll(/^ENV (\S+=\S+)$/gm)].map(([, variable = ""]) => variable);
}
