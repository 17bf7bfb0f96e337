// Builds a process of these sources as its image has it: one file.
import { execFileSync } from "node:child_process";
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type PlimsollProgram, plimsollCommand } from "@plimsoll/testbed";

/** Writes what the image holds into a folder; the path of the program. */
export function asInImage(folder: string, name: PlimsollProgram = "autoscaler"): string {
  const main = fileURLToPath(new URL("../../../release/src/images/main.ts", import.meta.url));
  execFileSync(process.execPath, ["--conditions=@plimsoll/source", main, name, folder]);
  // The image has both in its root, where the folder above is the same one.
  copyFileSync(join(folder, "package.json"), join(folder, "..", "package.json"));
  return join(folder, name === "autoscaler" ? name : "adapter");
}

/** The variables that its image sets, such as "NAME=value". */
export function environmentInImage(name: PlimsollProgram = "autoscaler"): readonly string[] {
  const file = new URL(`../../../../deploy/images/${name}/Dockerfile`, import.meta.url);
  return [...readFileSync(file, "utf8").matchAll(/^ENV (\S+=\S+)$/gm)].map(([, variable = ""]) => variable);
}

/** Builds the adapter into a folder, and runs it with what its image gives it. */
export function adapterInImage(folder: string): ReturnType<typeof plimsollCommand> {
  const { command, args } = plimsollCommand("metrics-adapter", asInImage(folder, "metrics-adapter"));
  return { command: "env", args: [...environmentInImage("metrics-adapter"), command, ...args] };
}
