// The adapter as a process of its own, for what only a process has: arguments, signals, an exit code, a standard output.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { testFolder, until } from "@plimsoll/testbed/world";
import { onTestFinished } from "vitest";

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

export const goodRules = `rules:
- seriesQuery: 'http_requests_total'
  resources: {template: "<<.Resource>>"}
  metricsQuery: 'sum(rate(<<.Series>>{<<.LabelMatchers>>}[1m])) by (<<.GroupBy>>)'
`;

/** No server listens there. */
export const kubeconfig = `apiVersion: v1
kind: Config
current-context: c
contexts: [{name: c, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}]
users: [{name: u, user: {token: t}}]
`;

/** Flags with which it serves, where nothing else does. */
export const lonelyFlags = [
  "--config=rules.yaml",
  "--lister-kubeconfig=kubeconfig",
  "--prometheus-url=http://127.0.0.1:1",
  "--bind-address=127.0.0.1",
  "--cert-dir=certs",
];

/** A folder for the test that runs. */
export async function makeFolder(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = testFolder();
  const all = { "rules.yaml": goodRules, kubeconfig, ...files };
  await Promise.all(Object.entries(all).map(([name, text]) => writeFile(join(folder, name), text)));
  return folder;
}

export interface AdapterProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  out(): string;
  err(): string;
  /** Lines of the log. */
  lines(): readonly Record<string, unknown>[];
}

/** @param log Where standard output goes, when it is not read. */
export function startProcess(folder: string, args: readonly string[], log?: number): AdapterProcess {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, ["--conditions=@plimsoll/source", main, ...args], {
    cwd: folder,
    env: { PATH, NODE_COMPILE_CACHE, HOME: folder },
    stdio: ["ignore", log ?? "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let out = "";
  let err = "";
  child.stdout?.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (err += chunk.toString()));
  return {
    child,
    // Later than the exit: all that it wrote has been read.
    ended: once(child, "close").then(([code]) => code as number | null),
    out: () => out,
    err: () => err,
    lines: () =>
      out
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}

/** Where it serves, once it does. */
export async function servingPort(running: AdapterProcess): Promise<number> {
  const serving = () => running.lines().find(({ msg }) => msg === "serving");
  await until("it serves", () => {
    if (running.child.exitCode !== null) throw new Error(`it ended: ${running.err()}`);
    return serving() !== undefined;
  });
  return Number(serving()?.["port"]);
}

export const readCa = (folder: string): Promise<string> => readFile(join(folder, "certs/ca.crt"), "utf8");

/** One request on a connection of its own. */
export function get(port: number, path: string, ca: string): Promise<[number, string]> {
  return new Promise((resolve, reject) => {
    request({ host: "127.0.0.1", servername: "localhost", port, path, ca, agent: false }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.on("end", () => resolve([response.statusCode ?? 0, text]));
    })
      .on("error", reject)
      .end();
  });
}
