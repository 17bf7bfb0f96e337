// A console that runs in a test, and requests to it as they come over a socket: with any header.
import { mkdirSync, writeFileSync } from "node:fs";
import { type IncomingHttpHeaders, request } from "node:http";
import { join } from "node:path";
import type { Connection } from "@plimsoll/kube";
import { testFolder } from "@plimsoll/testbed/world";
import { onTestFinished } from "vitest";
import { runCli } from "../../src/index.ts";
import type { CliSeams } from "../../src/seams.ts";
import { type FakeCluster, nowMs } from "../cluster/fake-cluster.ts";

export interface Got {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly bytes: Buffer;
}

export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RunningConsole {
  readonly port: number;
  /** What the terminal shows so far. */
  readonly output: () => string;
  readonly errors: () => string;
  /** Of the last address that was written. */
  readonly code: () => string;
  readonly opened: readonly string[];
  readonly ended: Promise<number>;
  readonly interrupt: () => void;
  send(path: string, sent?: Sent): Promise<Got>;
  /** With the cookie that the code gives. */
  signIn(): Promise<(path: string, sent?: Sent) => Promise<Got>>;
}

export const ownPage = { "sec-fetch-site": "same-origin" };

export async function startConsole(
  cluster: FakeCluster,
  args: readonly string[] = [],
  { connect, ...seams }: Partial<CliSeams> = {},
): Promise<RunningConsole> {
  const folder = pageFolder();
  const interrupted = new AbortController();
  const opened: string[] = [];
  const listening = Promise.withResolvers<number>();
  let [output, errors] = ["", ""];
  const clock = seams.clock ?? { nowMs: () => nowMs, after: () => () => undefined };
  const ended = runCli({
    args: ["console", ...args],
    name: "plimsoll",
    version: "1.2.3",
    readText: () => Promise.reject(new Error("no file is read")),
    writeOut(part) {
      output += part;
      const port = /127\.0\.0\.1:(\d+)/.exec(output)?.[1];
      if (port !== undefined) listening.resolve(Number(port));
    },
    writeError: (part) => (errors += part),
    nowMs: () => clock.nowMs(),
    signal: interrupted.signal,
    connect: connect ?? (() => Promise.resolve<Connection>(cluster.connection(clock))),
    openBrowser: (url) => opened.push(url),
    findPage: () => Promise.resolve(folder),
    ...seams,
    clock,
  });
  onTestFinished(async () => {
    interrupted.abort();
    await ended;
  });
  const port = await Promise.race([
    listening.promise,
    ended.then((code) => Promise.reject(new Error(`ended with ${code}: ${errors}`))),
  ]);
  const send = (path: string, sent: Sent = {}) => sendTo(port, path, sent);
  const code = (): string => [...output.matchAll(/#code=([\w-]+)/g)].at(-1)?.[1] ?? "";
  return {
    port,
    output: () => output,
    errors: () => errors,
    code,
    opened,
    ended,
    interrupt: () => interrupted.abort(),
    send,
    async signIn() {
      const got = await send("/apis/console/v1/session", {
        headers: { ...ownPage, "plimsoll-code": code() },
      });
      const cookie = String(got.headers["set-cookie"]).split(";")[0] ?? "";
      return (path, { method, headers } = {}) =>
        send(path, {
          ...(method === undefined ? {} : { method }),
          headers: { ...ownPage, cookie, ...headers },
        });
    },
  };
}

function sendTo(port: number, path: string, { method = "GET", headers = ownPage }: Sent): Promise<Got> {
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, path, method, agent: false as const };
    request({ ...options, headers: { host: `127.0.0.1:${port}`, ...headers } }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("error", reject);
      response.on("end", () => {
        const bytes = Buffer.concat(parts);
        const { statusCode = 0, headers: answered } = response;
        resolve({ code: statusCode, headers: answered, bytes, text: bytes.toString() });
      });
    })
      .on("error", reject)
      .end();
  });
}

/** A page with one hashed file. */
function pageFolder(): string {
  const folder = testFolder();
  mkdirSync(join(folder, "assets"));
  mkdirSync(join(folder, ".vite"));
  writeFileSync(join(folder, "index.html"), "<!doctype html><title>Plimsoll</title>");
  writeFileSync(join(folder, "assets", "index-1a2B3c_d.js"), `export const a = "${"a".repeat(2_000)}";`);
  writeFileSync(join(folder, ".vite", "manifest.json"), "{}");
  return folder;
}
