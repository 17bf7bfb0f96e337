// What tests of all packages share: folders, servers, a log, and waiting.
import { randomUUID } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import type { AddressInfo, Server, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, onTestFinished } from "vitest";

export { type Exporters, serveExpositions } from "./expositions.ts";

const pathOf = (): string => join(tmpdir(), `plimsoll-test-${randomUUID().slice(0, 13)}`);
/** For this user alone: tests keep keys and tokens in it. */
const make = (path: string) => mkdirSync(path, { mode: 0o700 });
const remove = (path: string): void => rmSync(path, { recursive: true, force: true });

/** A folder of the current test. */
export function testFolder(): string {
  const path = pathOf();
  make(path);
  onTestFinished(() => remove(path));
  return path;
}

/** A folder of the file or the group of tests that calls this. It exists once the tests begin. */
export function fileFolder(): string {
  const path = pathOf();
  beforeAll(() => make(path));
  afterAll(() => remove(path));
  return path;
}

export interface Listening {
  readonly port: number;
  /** With the port. */
  readonly host: string;
  /** Open connections. */
  readonly sockets: ReadonlySet<Socket>;
  /** Ends the server and its connections, once. The end of the test does so, too. */
  close(): Promise<void>;
}

export async function listen(server: Server, address = "127.0.0.1"): Promise<Listening> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, address, resolve);
  });
  const { port } = server.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
    return closing;
  };
  onTestFinished(close);
  return { port, host: `${address}:${port}`, sockets, close };
}

const ignore = (): void => {};

export const silentLog = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/** Nearly as long as a test may take. */
export const waitLimitMs = 100_000;

/** Waits until the check no longer throws. Programs outside Vitest call it too. @throws what it threw last */
export async function eventually(check: () => unknown): Promise<void> {
  const deadline = performance.now() + waitLimitMs;
  for (;;) {
    try {
      return void (await check());
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await setTimeout(5);
  }
}

/** Waits until the condition holds. @throws with the description when it never does */
export function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  return eventually(async () => {
    if (!(await condition())) throw new Error(`still not so: ${what}`);
  });
}
