// Runs a measurement that is a program of its own, and reads the JSON that it leaves.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Session } from "./session.ts";

export async function runJson<T>(session: Session, program: URL, args: readonly string[]): Promise<T> {
  const file = join(session.folder, `${program.pathname.replaceAll("/", "-")}.json`);
  const child = spawn(process.execPath, [fileURLToPath(program), ...args, "--json", file], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  session.stops.push(async () => {
    if (child.exitCode === null) child.kill("SIGTERM");
  });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error(`${fileURLToPath(program)} ended with ${code}`);
  return JSON.parse(readFileSync(file, "utf8")) as T;
}
