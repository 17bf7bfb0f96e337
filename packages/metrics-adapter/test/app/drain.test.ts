import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { until } from "../http/harness.ts";
import { createAuthority, issue } from "../http/pki.ts";

/** Processes start slowly where many do at once. */
const slowMs = 30_000;
vi.setConfig({ testTimeout: 2 * slowMs });

const rules = `rules:
- seriesQuery: 'http_requests_total'
  resources: {template: "<<.Resource>>"}
  metricsQuery: 'sum(rate(<<.Series>>{<<.LabelMatchers>>}[1m])) by (<<.GroupBy>>)'
`;
const kubeconfig = `apiVersion: v1
kind: Config
current-context: c
contexts: [{name: c, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}]
users: [{name: u, user: {token: t}}]
`;

/** The process in a folder of its own, which believes clients of the authority. */
async function start(clientCa: string) {
  const directory = await mkdtemp(join(tmpdir(), "plimsoll-drain-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const files = { "rules.yaml": rules, kubeconfig, "client-ca.crt": clientCa };
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(directory, name), text)));
  const child = spawn(
    process.execPath,
    [
      "--conditions=@plimsoll/source",
      fileURLToPath(new URL("../../src/main.ts", import.meta.url)),
      "--config=rules.yaml",
      "--lister-kubeconfig=kubeconfig",
      "--prometheus-url=http://127.0.0.1:1",
      "--bind-address=127.0.0.1",
      "--secure-port=0",
      "--cert-dir=certs",
      "--authentication-skip-lookup",
      "--client-ca-file=client-ca.crt",
    ],
    {
      cwd: directory,
      env: { PATH: process.env["PATH"], HOME: directory },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "exit").then(([code]) => code as number | null);
  let out = "";
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  const serving = (): string | undefined => out.split("\n").find((line) => line.includes('"msg":"serving"'));
  await until(() => serving() !== undefined, "it serves", slowMs);
  const { port } = JSON.parse(serving() ?? "") as { port: number };
  return { child, ended, port, ca: await readFile(join(directory, "certs/ca.crt"), "utf8") };
}

type Outcome =
  | { readonly type: "answered"; readonly code: number }
  | { readonly type: "refused" }
  /** Before TLS was done: the kernel may have taken the connection, and the server not yet. */
  | { readonly type: "not accepted"; readonly error: string }
  | { readonly type: "broken"; readonly error: string };

function ask(port: number, path: string, options: { readonly ca: string; readonly agent: Agent | false }) {
  return new Promise<Outcome>((resolve) => {
    let isAccepted = false;
    const asked = request({ host: "127.0.0.1", servername: "localhost", port, path, ...options });
    asked.on("socket", (socket) => {
      isAccepted = asked.reusedSocket;
      socket.once("secureConnect", () => (isAccepted = true));
    });
    asked.on("response", (response) => {
      response.resume();
      response.on("end", () => resolve({ type: "answered", code: response.statusCode ?? 0 }));
    });
    asked.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNREFUSED") resolve({ type: "refused" });
      else resolve({ type: isAccepted ? "broken" : "not accepted", error: String(error) });
    });
    asked.end();
  });
}

test("SIGTERM among sixteen busy clients: each request is answered or meets a closed port, none is reset", async () => {
  const authority = await createAuthority("cluster-ca");
  const { cert, key } = await issue(authority, "O=system:masters,CN=admin");
  const { child, ended, port, ca } = await start(authority.pem);
  let answers = 0;
  /** Asks on until nothing listens any more; what else went wrong. */
  const client = async (isKnown: boolean): Promise<readonly string[]> => {
    const agent = isKnown && new Agent({ keepAlive: true, maxSockets: 1, ca, cert, key });
    const failures: string[] = [];
    let unaccepted: string | undefined;
    for (;;) {
      const outcome = await ask(port, isKnown ? "/version" : "/healthz", { ca, agent });
      if (outcome.type === "refused") break;
      // It was not the closing of the port, which nothing comes after.
      if (unaccepted !== undefined) failures.push(unaccepted);
      unaccepted = outcome.type === "not accepted" ? outcome.error : undefined;
      if (outcome.type === "broken") failures.push(outcome.error);
      if (outcome.type !== "answered") continue;
      answers += 1;
      // Health says that it is leaving.
      if (outcome.code >= 400 && (isKnown || outcome.code !== 500)) failures.push(String(outcome.code));
    }
    if (agent !== false) agent.destroy();
    return failures;
  };
  const clients = Array.from({ length: 16 }, (_, index) => client(index % 2 === 0));
  await until(() => answers > 200, "there is load", slowMs);
  child.kill("SIGTERM");
  expect((await Promise.all(clients)).flat()).toEqual([]);
  expect(await ended).toBe(0);
});
