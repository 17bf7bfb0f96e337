// Starts the adapters that are compared: ours, and prometheus-adapter where its program is at hand.
import { writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type Child, cores, freePort, pinned, plimsollCommand, startChild, until } from "@plimsoll/testbed";
import { frontProxyName, type Pki } from "./pki.ts";

export interface AdapterProcess extends Child {
  readonly port: number;
}

export interface AdapterSettings {
  readonly folder: string;
  readonly pki: Pki;
  readonly prometheusUrl: string;
  /** File name of the rules. */
  readonly rules: string;
  readonly kubeconfig: string;
  readonly extraFlags: readonly string[];
  /** A duration; a minute when absent. */
  readonly relistInterval?: string | undefined;
  /** Of the process, beside that of the bench. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** The flags that both adapters get. */
function sharedFlags(settings: AdapterSettings): readonly string[] {
  const file = (name: string, content: string) => {
    const path = join(settings.folder, name);
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  };
  const ca = file("ca.crt", settings.pki.ca);
  return [
    `--config=${settings.rules}`,
    `--prometheus-url=${settings.prometheusUrl}`,
    `--lister-kubeconfig=${settings.kubeconfig}`,
    `--authentication-kubeconfig=${settings.kubeconfig}`,
    `--authorization-kubeconfig=${settings.kubeconfig}`,
    "--authorization-webhook-cache-authorized-ttl=5m",
    "--authentication-skip-lookup",
    `--client-ca-file=${ca}`,
    `--requestheader-client-ca-file=${ca}`,
    `--requestheader-allowed-names=${frontProxyName}`,
    "--requestheader-username-headers=x-remote-user",
    "--requestheader-group-headers=x-remote-group",
    "--requestheader-extra-headers-prefix=x-remote-extra-",
    "--bind-address=127.0.0.1",
    `--tls-cert-file=${file("serving.crt", settings.pki.server.cert)}`,
    `--tls-private-key-file=${file("serving.key", settings.pki.server.key)}`,
    `--metrics-relist-interval=${settings.relistInterval ?? "1m"}`,
    ...settings.extraFlags,
  ];
}

export interface StartOptions {
  /** The adapter is ready when it lists this metric. */
  readonly listed?: string;
  /** It is ready when it responds to this path with 200; nothing is listed before then. */
  readonly readyPath?: string | undefined;
  /** Where a CPU profile of the whole run is left, when given. */
  readonly profileFolder?: string | undefined;
  /** A bundle, as the image has it; these sources when absent. */
  readonly program?: string | undefined;
  /** How it is run, with all that its image sets. */
  readonly how?: ReturnType<typeof plimsollCommand>;
}

const listedInBench = "http_requests_per_second";

export async function startOurs(
  settings: AdapterSettings,
  {
    listed = listedInBench,
    readyPath,
    profileFolder,
    program,
    how = plimsollCommand("metrics-adapter", program),
  }: StartOptions = {},
): Promise<AdapterProcess> {
  const { command, args } = how;
  const profile = profileFolder === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profileFolder}`];
  const run = pinned(cores.tested, command, [
    ...profile,
    ...args,
    ...sharedFlags(settings),
    "--secure-port=0",
    "--requestheader-uid-headers=x-remote-uid",
  ]);
  let port = 0;
  const child = await startChild({
    name: "metrics-adapter",
    ...run,
    env: settings.env ?? {},
    ready: (line) => {
      port = Number(/"port":(\d+).*"msg":"serving"/.exec(line)?.[1] ?? port);
      return port > 0;
    },
  });
  const adapter = { ...child, port };
  await ready(adapter, settings.pki, { listed, readyPath });
  return adapter;
}

/** prometheus-adapter with the same settings, one core, and without the limit of 5 requests a second on its LISTs. */
export async function startTheirs(
  binary: string,
  settings: AdapterSettings,
  { listed = listedInBench, readyPath }: StartOptions = {},
): Promise<AdapterProcess> {
  const port = await freePort();
  const run = pinned(cores.tested, binary, [
    ...sharedFlags(settings),
    `--secure-port=${port}`,
    "--client-qps=10000",
    "--client-burst=10000",
    `--cert-dir=${settings.folder}`,
  ]);
  const child = await startChild({
    name: "prometheus-adapter",
    ...run,
    env: { GOMAXPROCS: "1", ...settings.env },
    ready: (line) => line.includes("Serving securely"),
  });
  const adapter = { ...child, port };
  await ready(adapter, settings.pki, { listed, readyPath });
  return adapter;
}

/** Until the metrics have been listed. */
async function ready(
  adapter: AdapterProcess,
  pki: Pki,
  { listed, readyPath }: Pick<StartOptions, "listed" | "readyPath">,
): Promise<void> {
  await until("the adapter's metrics", async () => {
    const response = await get(adapter.port, pki, readyPath ?? "/apis/custom.metrics.k8s.io/v1beta2");
    const isListed = readyPath !== undefined || response.body.includes(`/${listed}"`);
    return response.code === 200 && isListed ? true : undefined;
  });
}

export interface AdapterResponse {
  readonly code: number;
  readonly body: string;
}

/** One request as the front proxy sends it for an administrator. */
export function get(port: number, pki: Pki, path: string, headers = {}): Promise<AdapterResponse> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: "127.0.0.1",
        port,
        path,
        ca: pki.ca,
        cert: pki.frontProxy.cert,
        key: pki.frontProxy.key,
        servername: "localhost",
        agent: false,
        headers: { "X-Remote-User": "admin", "X-Remote-Group": "system:masters", ...headers },
      },
      (response) => {
        text(response).then((body) => resolve({ code: response.statusCode ?? 0, body }), reject);
      },
    );
    sent.on("error", reject);
    sent.end();
  });
}
