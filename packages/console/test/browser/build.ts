// Builds the page once for all tests that load it, where its sources changed.
import { execFileSync } from "node:child_process";

export const dist = new URL("../../dist/", import.meta.url).pathname;

/** In a process of its own, as for users: a test runner sets another environment, which a build would keep. */
export default function setup(): void {
  const main = new URL("../../build/main.ts", import.meta.url).pathname;
  execFileSync(process.execPath, [main], { stdio: "inherit" });
}
