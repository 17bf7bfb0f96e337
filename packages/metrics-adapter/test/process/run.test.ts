import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { until as untilWithin } from "../server/harness.ts";

/** Processes start slowly where many do at once. */
const patienceMs = 30_000;
vi.setConfig({ testTimeout: 2 * patienceMs });
const until = (condition: () => boolean, what: string): Promise<void> =>
  untilWithin(condition, what, patienceMs);

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const goodRules = `rules:
- seriesQuery: 'http_requests_total'
  resources: {template: "<<.Resource>>"}
  metricsQuery: 'sum(rate(<<.Series>>{<<.LabelMatchers>>}[1m])) by (<<.GroupBy>>)'
`;
/** Nobody listens there. */
const kubeconfig = `apiVersion: v1
kind: Config
current-context: c
contexts: [{name: c, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}]
users: [{name: u, user: {token: t}}]
`;

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "plimsoll-adapter-"));
  await writeFile(join(directory, "rules.yaml"), goodRules);
  await writeFile(join(directory, "kubeconfig"), kubeconfig);
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

interface Running {
  readonly child: ChildProcess;
  out: string;
  err: string;
  readonly ended: Promise<number | null>;
}

function start(...args: string[]): Running {
  const child = spawn(process.execPath, ["--conditions=@plimsoll/source", main, ...args], {
    cwd: directory,
    env: { PATH: process.env["PATH"], HOME: directory },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const running: Running = {
    child,
    out: "",
    err: "",
    ended: once(child, "exit").then(([code]) => code as number | null),
  };
  child.stdout?.on("data", (chunk: Buffer) => {
    running.out += chunk.toString();
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    running.err += chunk.toString();
  });
  onTestFinished(() => {
    if (child.exitCode === null) {
      child.kill("SIGKILL");
    }
  });
  return running;
}

test("an unknown flag is named and the process ends with 2", async () => {
  const running = start("--config=rules.yaml", "--no-such-flag=1");
  expect(await running.ended).toBe(2);
  expect(running.err).toBe("error: unknown flag: --no-such-flag\nerror: see --help for all flags\n");
  expect(running.out).toBe("");
});

test("an invalid rules file ends it with 1 and every problem on a line of its own", async () => {
  await writeFile(
    join(directory, "bad.yaml"),
    `rules:
- seriesQuery: 'a'
  name: {matches: "(("}
  metricsQuery: '<<.Series'
- seriesQueri: 'b'
`,
  );
  const running = start("--config=bad.yaml", "--lister-kubeconfig=kubeconfig");
  expect(await running.ended).toBe(1);
  const lines = running.err.trimEnd().split("\n");
  expect(lines.length).toBeGreaterThanOrEqual(3);
  expect(lines.every((line) => /^error: bad\.yaml:\d+:\d+: rules\[\d\]/.test(line))).toBe(true);
  expect(running.err).not.toContain("    at ");
});

test.each([
  [["--config=missing.yaml"], "error: the rules file cannot be read: ENOENT"],
  [["--config=rules.yaml", "--lister-kubeconfig=missing"], "error: there is no way to kube-apiserver: "],
  [
    [
      "--config=rules.yaml",
      "--lister-kubeconfig=kubeconfig",
      "--tls-cert-file=rules.yaml",
      "--tls-private-key-file=rules.yaml",
      "--secure-port=0",
    ],
    "error: cannot serve on 0.0.0.0 port 0: ",
  ],
  [
    ["--config=rules.yaml", "--lister-kubeconfig=kubeconfig", "--prometheus-token-file=missing"],
    "error: Prometheus's credentials cannot be read: ENOENT",
  ],
])("what the flags point to is told in one line: %j", async (args, expected) => {
  const running = start(...args);
  expect(await running.ended).toBe(1);
  expect(running.err.startsWith(expected)).toBe(true);
  expect(running.err.trimEnd().split("\n")).toHaveLength(1);
});

test("with Prometheus and kube-apiserver away it serves, says so, is not ready, and ends well", async () => {
  const running = start(
    "--config=rules.yaml",
    "--lister-kubeconfig=kubeconfig",
    "--prometheus-url=http://127.0.0.1:1",
    "--bind-address=127.0.0.1",
    "--secure-port=0",
    "--cert-dir=certs",
    "--audit-log-path=-",
  );
  await until(() => running.out.includes('"msg":"serving"'), "it serves");
  const lines = running.out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const { address, port } = lines.find((line) => line.msg === "serving");
  expect(address).toBe("127.0.0.1");
  expect(lines[0]).toMatchObject({
    level: "warn",
    msg: expect.stringContaining("--audit-log-path has no effect"),
  });

  const ca = await readFile(join(directory, "certs/ca.crt"), "utf8");
  expect((await stat(join(directory, "certs/apiserver.key"))).mode & 0o777).toBe(0o600);
  expect(lines.find((line) => line.caBundle !== undefined).caBundle).toBe(Buffer.from(ca).toString("base64"));
  expect(await get(port, "/healthz", ca)).toEqual([200, "ok"]);
  await until(() => running.out.includes("authentication configuration cannot be watched"), "it says so");
  const [code, text] = await get(port, "/readyz", ca);
  expect(code).toBe(500);
  expect(text).toMatch(/\[-\]authentication failed: ConfigMap \S+ cannot be read: .*127\.0\.0\.1:1/);
  expect(text).toMatch(/\[-\]metrics failed: ./);

  running.child.kill("SIGTERM");
  expect(await running.ended).toBe(0);
  expect(
    running.out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
      .at(-1),
  ).toMatchObject({ msg: "stopped" });
  expect(running.err).toBe("");
});

test("a changed rules file is taken up while running, a broken one is not and shows in readyz", async () => {
  const path = join(directory, "changing.yaml");
  await writeFile(path, goodRules);
  const running = start(
    "--config=changing.yaml",
    "--lister-kubeconfig=kubeconfig",
    "--prometheus-url=http://127.0.0.1:1",
    "--bind-address=127.0.0.1",
    "--secure-port=0",
    "--cert-dir=certs",
  );
  await until(() => running.out.includes('"msg":"serving"'), "it serves");
  const { port } = JSON.parse(running.out.split("\n").find((line) => line.includes('"msg":"serving"')) ?? "");
  const ca = await readFile(join(directory, "certs/ca.crt"), "utf8");
  expect((await get(port, "/readyz?verbose", ca))[1]).toContain("[+]rules ok\n");
  await writeFile(path, "rules:\n- seriesQueri: a\n");
  await until(
    () => running.out.includes("new rules are not used: changing.yaml:2:3: rules[0]"),
    "it says so",
  );
  const broken = "[+]rules ok: older rules are in use, the file has 1 problems, first at changing.yaml:2:3\n";
  expect((await get(port, "/readyz?verbose", ca))[1]).toContain(broken);
  await writeFile(path, `external${goodRules.replace("rules", "Rules")}`);
  await until(() => running.out.includes('"msg":"new rules are in use"'), "it takes the new rules up");
  expect((await get(port, "/readyz?verbose", ca))[1]).toContain("[+]rules ok\n");
});

function get(port: number, path: string, ca: string): Promise<[number, string]> {
  return new Promise((resolve, reject) => {
    request({ host: "127.0.0.1", servername: "localhost", port, path, ca, agent: false }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => {
        text += chunk.toString();
      });
      response.on("end", () => resolve([response.statusCode ?? 0, text]));
    })
      .on("error", reject)
      .end();
  });
}
