// A server as a child process, with its data in a directory that goes with it.
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { remoteWrite, type WrittenSeries } from "./remote-write.ts";

/** A program to start, and how to know that it serves. */
export interface ServerProcessOptions {
  readonly name: string;
  /** The server's binary. */
  readonly binary: string;
  /** Ends the wait for a server that does not become ready. */
  readonly signal?: AbortSignal | undefined;
  /** Default: empty. */
  readonly configText?: string | undefined;
  /** Returns 200 when the server is ready. */
  readonly readyPath: string;
  /** Makes queries see what was written. */
  readonly flushPath?: string;
  readonly args: (files: {
    readonly config: string;
    readonly data: string;
    readonly address: string;
  }) => readonly string[];
}

/** A server that responds in Prometheus' API. */
export interface RealPrometheus {
  readonly url: string;
  /** Queries see the samples once this resolves. */
  write(series: readonly WrittenSeries[]): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a server of its own, with its data in a directory that goes when it stops. */
export async function startServerProcess(options: ServerProcessOptions): Promise<RealPrometheus> {
  let errors = "";
  for (let tries = 0; tries < maxTries; tries += 1) {
    options.signal?.throwIfAborted();
    const started = await tryToStart(options);
    if (typeof started !== "string") return started;
    errors += started;
  }
  throw new Error(`${options.name} did not start: ${errors}`);
}

/** Of several ports, each free a moment ago: another program may have taken one meanwhile. */
const maxTries = 3;

/** @returns the server, or what it wrote before it ended */
async function tryToStart(options: ServerProcessOptions): Promise<RealPrometheus | string> {
  const directory = await mkdtemp(join(tmpdir(), `plimsoll-${options.name}-`));
  const address = `127.0.0.1:${await freePort()}`;
  const url = `http://${address}`;
  const config = join(directory, "prometheus.yml");
  await writeFile(config, options.configText ?? "{}");
  const child = spawn(options.binary, options.args({ config, data: join(directory, "data"), address }), {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let errors = "";
  child.stderr.on("data", (chunk) => {
    errors = `${errors}${String(chunk)}`.slice(-4_000);
  });
  let isEnded = false;
  const ended = new Promise<void>((resolve) => {
    const end = (): void => {
      isEnded = true;
      resolve();
    };
    child.on("error", (error) => {
      errors += error.message;
      end();
    });
    child.on("exit", end);
  });
  const stop = async (): Promise<void> => {
    child.kill("SIGKILL");
    await ended;
    await rm(directory, { recursive: true, force: true });
  };
  const isDecided = async (): Promise<boolean> => isEnded || (await isReady(`${url}${options.readyPath}`));
  while (!(await isDecided())) {
    if (options.signal?.aborted === true) {
      await stop();
      options.signal.throwIfAborted();
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  if (isEnded) {
    await stop();
    return errors;
  }
  const write = async (series: readonly WrittenSeries[]): Promise<void> => {
    await remoteWrite(`${url}/api/v1/write`, series);
    if (options.flushPath !== undefined) await fetch(`${url}${options.flushPath}`);
  };
  return { url, write, stop };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

async function isReady(url: string): Promise<boolean> {
  // It may not listen yet.
  return await fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}
