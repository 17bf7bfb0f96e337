// A server as a child process, for tests.
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A program to start, and how to know that it serves. */
export interface ServerProcessOptions {
  readonly name: string;
  /** The server's binary. */
  readonly binary: string;
  /** Addresses to scrape once a second, "127.0.0.1:1234". */
  readonly targets: readonly string[];
  /** Returns 200 when the server is ready. */
  readonly readyPath: string;
  readonly args: (files: {
    readonly config: string;
    readonly data: string;
    readonly address: string;
  }) => readonly string[];
  /** Called before the start with the folder of its data, which does not exist yet. */
  readonly prepare?: (data: string) => Promise<void>;
}

/** A server that scrapes and answers in Prometheus' API. */
export interface RealPrometheus {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a server of its own, with its data in a directory that goes when it stops. */
export async function startServerProcess(options: ServerProcessOptions): Promise<RealPrometheus> {
  const directory = await mkdtemp(join(tmpdir(), `plimsoll-${options.name}-`));
  const address = `127.0.0.1:${await freePort()}`;
  const url = `http://${address}`;
  const config = join(directory, "prometheus.yml");
  await writeFile(config, configFor(options.targets));
  const data = join(directory, "data");
  await options.prepare?.(data);
  const child = spawn(options.binary, options.args({ config, data, address }), {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let errors = "";
  child.stderr.on("data", (chunk) => {
    errors = `${errors}${String(chunk)}`.slice(-4_000);
  });
  const ended = new Promise<void>((resolve) => {
    child.on("error", (error) => {
      errors += error.message;
      resolve();
    });
    child.on("exit", () => resolve());
  });
  const stop = async (): Promise<void> => {
    child.kill("SIGKILL");
    await ended;
    await rm(directory, { recursive: true, force: true });
  };
  const isReady = await Promise.race([
    ended.then(() => false),
    waitUntilReady(`${url}${options.readyPath}`, 20_000),
  ]);
  if (isReady) return { url, stop };
  await stop();
  throw new Error(`${options.name} did not start: ${errors}`);
}

function configFor(targets: readonly string[]): string {
  return JSON.stringify({
    global: { scrape_interval: "1s", scrape_timeout: "1s" },
    scrape_configs: [{ job_name: "test", honor_labels: true, static_configs: [{ targets }] }],
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

async function waitUntilReady(url: string, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (Date.now() < deadline) {
    try {
      const response = await fetch(url);
      if (response.ok) return true;
    } catch {
      // Not listening yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return false;
}
