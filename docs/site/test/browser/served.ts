// Builds and serves the site by its command, once for all tests.
import { type ChildProcess, spawn } from "node:child_process";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    readonly siteAddress: string;
  }
}

const program = resolve(import.meta.dirname, "../../src/main.ts");

/** As for users: a test runner sets another environment, which the build would keep. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, [program], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, NODE_ENV: "production" },
  });
  const ended = new Promise<void>((done) => {
    child.once("exit", () => done());
  });
  const address = await addressOf(child);
  if (address === undefined) throw new Error("npm run docs ended before it printed an address; see above");
  provide("siteAddress", address);
  return () => {
    child.kill("SIGTERM");
    return ended;
  };
}

async function addressOf({ stdout }: ChildProcess): Promise<string | undefined> {
  if (stdout === null) return undefined;
  for await (const line of createInterface({ input: stdout })) {
    const [, address] = /^docs: (http:\S+)$/.exec(line) ?? [];
    if (address !== undefined) return address;
  }
  return undefined;
}
