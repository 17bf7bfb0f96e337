// A real aggregated server comes behind ours, by the commands of the plan, while its metrics are requested.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { get } from "node:https";
import { join } from "node:path";
import { runCli } from "@plimsoll/cli";
import { freePort } from "@plimsoll/component-base/testing";
import { createRestMapper } from "@plimsoll/kube";
import { generateServingCertificate } from "@plimsoll/kube/serving";
import {
  ADAPTER_SERVER_NAME,
  applyManifests,
  type PlimsollProcess,
  parseManifests,
  runToEnd,
  type Stops,
  startPlimsoll,
  startTestAdapter,
  stopAll,
  until,
} from "@plimsoll/testbed";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { parse, stringify } from "yaml";
import { installed, registered } from "./federation-objects.ts";
import { gaugeRules, temporaryApiServer } from "./fixture.ts";
import { requestToken } from "./rights.ts";

type Plane = Awaited<ReturnType<typeof temporaryApiServer>>;

const group = "external.metrics.k8s.io";
const metric = `/apis/${group}/v1beta1/namespaces/default/my-external-metric`;
const stops: Stops = [];
let plane: Plane;
let ours: PlimsollProcess;
let theirPort: number;
let theirCa: string;
let folder: string;

interface Plan {
  readonly config: string;
  readonly steps: readonly {
    readonly title: string;
    readonly commands: readonly string[];
    readonly undo: { readonly commands: readonly string[] };
  }[];
}

beforeAll(async () => {
  plane = await temporaryApiServer();
  stops.push(() => plane.stop());
  folder = join(plane.kubeconfig, "..", "federation");
  mkdirSync(folder, { recursive: true });
  theirPort = await freePort();
  const pair = await generateServingCertificate(["test-adapter.other.svc", "localhost"], Date.now());
  theirCa = pair.caPem;
  const theirs = await startTestAdapter({
    binary: inject("testAdapter"),
    kubeconfig: plane.kubeconfig,
    port: theirPort,
    certFile: file("their.crt", pair.certPem),
    keyFile: file("their.key", pair.keyPem),
  });
  stops.push(() => theirs.stop());
  await apply(registered("other", "test-adapter", theirPort, { version: "v1beta1", group, ca: theirCa }));
  await until("the metric of the other adapter", value);
});

afterAll(async () => {
  await stopAll(stops);
});

/** Of the plan, with the port on which we serve now. */
let steps: Plan["steps"] = [];

test("the take-over and the rollback, with requests every 50 ms: none fails", async () => {
  await apply(installed);
  ours = await startOurs([]);
  await registerOurs();
  const traffic = requestEvery50Ms();
  stops.push(() => traffic.stop());
  await until("requests before the change", async () => traffic.answers.length > 10 || undefined);

  const plan = await planned();
  expect(plan.steps.map(({ title }) => title)).toEqual([
    "Save the APIServices",
    "Name the other adapters to ours",
    "Look whether our adapter reads their lists",
    `Give v1beta1.${group} to our adapter`,
  ]);
  await shell(plan.steps[0]?.commands ?? []);
  // Without kubelets no pod is rolled out: a process with the file of the plan takes its place.
  await shell(plan.steps[1]?.commands.slice(0, 2) ?? []);
  const formerPort = ours.port;
  await ours.stop();
  ours = await startOurs([`--federation-config=${file("backends.yaml", reachable(plan.config))}`]);
  await registerOurs();
  // The port of the Service is that of the process here.
  steps = onPort(plan.steps, formerPort, ours.port);
  const before = traffic.answers.length;
  await shell(steps[3]?.commands ?? []);
  await until("its requests to come to us", async () => (await handedOn()) > 5 || undefined);
  // It lists a placeholder, as KEDA does.
  expect(await names()).toEqual(["externalmetrics"]);

  await shell(steps[3]?.undo.commands ?? []);
  const handed = await handedOn();
  await until("requests after the rollback", async () => {
    const all = traffic.answers.length;
    return (all > before + 40 && (await handedOn()) - handed < 3) || undefined;
  });
  await traffic.stop();
  expect(new Set(traffic.answers)).toEqual(new Set(["42 43"]));
  process.stderr.write(`federation: ${traffic.answers.length} requests, 0 failed, ${handed} of them by us\n`);
});

test("a service account without the right is refused by the real server, and its own words are handed on", async () => {
  await plane.kubectl("delete", "clusterrolebinding", "plimsoll-federation");
  await shell(steps[3]?.commands.slice(0, 1) ?? []);
  const refusal = await until("the refusal", async () => {
    try {
      await plane.client.request({ path: metric });
      return undefined;
    } catch (error) {
      return String(error);
    }
  });
  expect(refusal).toContain('User "system:serviceaccount:plimsoll:metrics-adapter" cannot');
});

async function registerOurs(): Promise<void> {
  const api = { version: "v1beta2", group: "custom.metrics.k8s.io", ca: ourCa() };
  await apply(registered("plimsoll", "metrics-adapter", ours.port, api));
}

async function startOurs(flags: readonly string[]): Promise<PlimsollProcess> {
  file("token", await requestToken(plane.client, "plimsoll", "metrics-adapter"));
  const started = await startPlimsoll("metrics-adapter", [
    `--config=${gaugeRules}`,
    "--prometheus-url=http://127.0.0.1:1",
    ...["lister", "authentication", "authorization"].map((use) => `--${use}-kubeconfig=${plane.kubeconfig}`),
    "--bind-address=127.0.0.1",
    "--secure-port=0",
    "--authorization-always-allow-paths=/healthz,/readyz,/livez,/metrics",
    `--cert-dir=${join(folder, "certs")}`,
    `--self-signed-cert-hosts=${ADAPTER_SERVER_NAME}`,
    ...flags,
  ]);
  stops.push(() => started.stop());
  return started;
}

function ourCa(): string {
  return readFileSync(join(folder, "certs", "ca.crt"), "utf8");
}

/** The file of the plan, with addresses of this machine and without a pod's folders. */
function reachable(config: string): string {
  const { backends } = parse(config) as { backends: readonly Record<string, unknown>[] };
  const [only, ...others] = backends;
  expect([only?.["name"], only?.["service"], others]).toEqual([
    "other",
    { namespace: "other", name: "test-adapter", port: theirPort },
    [],
  ]);
  const { service: _service, ...rest } = only ?? {};
  const own = { caBundleFile: file("their-ca.crt", theirCa), tokenFile: join(folder, "token") };
  return stringify({ backends: [{ ...rest, url: `https://localhost:${theirPort}`, ...own }] });
}

function onPort(planned: Plan["steps"], former: number, now: number): Plan["steps"] {
  return JSON.parse(JSON.stringify(planned).replaceAll(String(former), String(now))) as Plan["steps"];
}

async function planned(): Promise<Plan> {
  let out = "";
  const code = await runCli({
    args: ["federation", "plan", "--kubeconfig", plane.kubeconfig, "-o", "json"],
    name: "plimsoll",
    version: "1.2.3",
    readText: () => Promise.reject(new Error("no file is read")),
    writeOut: (text) => (out += text),
    writeError: (text) => process.stderr.write(text),
    nowMs: () => Date.now(),
    signal: new AbortController().signal,
  });
  expect(code).toBe(0);
  return JSON.parse(out) as Plan;
}

async function shell(commands: readonly string[]): Promise<void> {
  for (const command of commands) {
    const { code, stderr } = await runToEnd("bash", ["-c", `cd "${folder}"\n${command}`], {
      KUBECONFIG: plane.kubeconfig,
    });
    if (code !== 0) throw new Error(`${command}\n${stderr}`);
  }
}

function requestEvery50Ms(): { readonly answers: readonly string[]; stop(): Promise<void> } {
  const answers: string[] = [];
  const running = new Set<Promise<void>>();
  const timer = setInterval(() => {
    const one = value()
      .catch((error: unknown) => `failed: ${String(error)}`)
      .then((answer) => void answers.push(answer ?? "nothing"))
      .finally(() => running.delete(one));
    running.add(one);
  }, 50);
  return {
    answers,
    async stop() {
      clearInterval(timer);
      await Promise.all(running);
    },
  };
}

async function value(): Promise<string | undefined> {
  const { items } = await plane.client.request<{ items: readonly { value: string }[] }>({ path: metric });
  return items.map(({ value: one }) => one).join(" ");
}

async function names(): Promise<readonly string[]> {
  const { resources } = await plane.client.request<{ resources: readonly { name: string }[] }>({
    path: `/apis/${group}/v1beta1`,
  });
  return resources.map(({ name }) => name);
}

async function handedOn(): Promise<number> {
  const text = await ownMetrics();
  const [, count] = /backend_requests_total\{backend="other",outcome="answered"\} (\d+)/.exec(text) ?? [];
  return Number(count ?? 0);
}

function ownMetrics(): Promise<string> {
  return new Promise((resolve, reject) => {
    const at = { host: "127.0.0.1", port: ours.port, path: "/metrics", servername: "localhost" };
    get({ ...at, ca: ourCa() }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.on("end", () => resolve(text));
    }).on("error", reject);
  });
}

async function apply(text: string): Promise<void> {
  const mapper = createRestMapper({ client: plane.client });
  await applyManifests({ client: plane.client, mapper }, parseManifests(text));
}

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}
