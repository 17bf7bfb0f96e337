import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type FakePrometheus,
  type FakeReply,
  type SeenRequest,
  startFakePrometheus,
  vector,
} from "@plimsoll/prometheus/testing";
import { eventually, testFolder } from "@plimsoll/testbed/world";
import { expect, onTestFinished } from "vitest";
import { discovery } from "../test/backends/prometheus/harness.ts";
import { type Answer, ask, createPki, type Pki } from "../test/http/harness.ts";

const metricNames = ["queue", "hostile"] as const;

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const rules = `externalRules:
${metricNames
  .map(
    (name) => `- seriesQuery: ${name}
  resources: {namespaced: false}
  metricsQuery: sum(<<.Series>>{<<.LabelMatchers>>})
`,
  )
  .join("")}`;
/** No server listens there: external metrics for administrators need nothing of kube-apiserver. */
const kubeconfig = `apiVersion: v1
kind: Config
current-context: c
contexts: [{name: c, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}]
users: [{name: u, user: {token: t}}]
`;

const series = metricNames.map((__name__) => ({ __name__ }));

/** What a Prometheus returns that has a sample of 7 for everything. */
export function healthy(request: SeenRequest): FakeReply {
  return request.path === "/api/v1/query"
    ? vector([{ labels: {}, value: "7", atSeconds: Date.now() / 1000 }])
    : discovery(series, request);
}

export interface World {
  readonly pid: number;
  readonly port: number;
  readonly pki: Pki;
  readonly prometheus: FakePrometheus;
  readonly rulesFile: string;
  readonly ended: Promise<number | null>;
  readonly lines: () => readonly string[];
  kill(signal: NodeJS.Signals): void;
  /** One request of an administrator through the front proxy, on a connection of its own. */
  get(path: string): Promise<Answer>;
  value(metric: string, selector?: string): Promise<Answer>;
}

export interface WorldOptions {
  /** A command that runs the program. */
  readonly prefix?: readonly string[];
  readonly nodeFlags?: readonly string[];
  readonly prometheusUrl?: (real: string) => string;
  readonly waits?: boolean;
}

/** A real process in front of a Prometheus that responds at once. */
export async function startWorld(o: WorldOptions = {}): Promise<World> {
  const folder = testFolder();
  const [pki, prometheus] = await Promise.all([
    createPki(),
    startFakePrometheus((request) => healthy(request)),
  ]);
  onTestFinished(() => prometheus.close());
  const file = async (name: string, text: string) => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };
  const rulesFile = await file("rules.yaml", rules);
  const config = await file("kubeconfig", kubeconfig);
  const [command, ...args] = [
    ...(o.prefix ?? []),
    process.execPath,
    "--conditions=@plimsoll/source",
    "--max-semi-space-size=8",
    ...(o.nodeFlags ?? []),
    main,
    `--config=${rulesFile}`,
    `--prometheus-url=${o.prometheusUrl?.(prometheus.url) ?? prometheus.url}`,
    `--lister-kubeconfig=${config}`,
    "--authentication-skip-lookup",
    `--client-ca-file=${await file("client-ca.crt", pki.clientCa.pem)}`,
    `--requestheader-client-ca-file=${await file("proxy-ca.crt", pki.proxyCa.pem)}`,
    "--requestheader-username-headers=x-remote-user",
    "--requestheader-group-headers=x-remote-group",
    "--requestheader-extra-headers-prefix=x-remote-extra-",
    "--bind-address=127.0.0.1",
    "--secure-port=0",
    `--tls-cert-file=${await file("tls.crt", pki.server.cert)}`,
    `--tls-private-key-file=${await file("tls.key", pki.server.key)}`,
    "--metrics-relist-interval=1s",
    "--metrics-max-age=10s",
    "--metrics-result-max-age=0s",
  ];
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<number | null>((resolve) => {
    child.on("exit", resolve);
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  const lines = () => output.split("\n");
  await eventually(() => expect(output).toContain('"msg":"serving"'));
  const port = Number(/"port":(\d+)/.exec(lines().find((line) => line.includes('"serving"')) ?? "")?.[1]);
  const get = (path: string) =>
    ask(
      { port, pki },
      {
        path,
        identity: pki.proxy,
        headers: { "X-Remote-User": "admin", "X-Remote-Group": "system:masters" },
      },
    );
  const world: World = {
    pid: child.pid ?? 0,
    port,
    pki,
    prometheus,
    rulesFile,
    ended,
    lines,
    kill: (signal) => child.kill(signal),
    get,
    value: (metric, selector = "") =>
      get(
        `/apis/external.metrics.k8s.io/v1beta1/namespaces/default/${metric}?labelSelector=${encodeURIComponent(selector)}`,
      ),
  };
  if (o.waits !== false) {
    await eventually(async () => expect((await world.value("queue")).code).toBe(200));
  }
  return world;
}
