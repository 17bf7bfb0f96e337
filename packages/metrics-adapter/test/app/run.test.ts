import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { until as untilWithin } from "../http/harness.ts";

/** Processes start slowly where many do at once. */
const timeoutMs = 30_000;
vi.setConfig({ testTimeout: 2 * timeoutMs });
const until = (condition: () => boolean, what: string): Promise<void> =>
  untilWithin(condition, what, timeoutMs);

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const goodRules = `rules:
- seriesQuery: 'http_requests_total'
  resources: {template: "<<.Resource>>"}
  metricsQuery: 'sum(rate(<<.Series>>{<<.LabelMatchers>>}[1m])) by (<<.GroupBy>>)'
`;
/** No server listens there. */
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
  return startWithLog("pipe", args);
}

function startWithLog(log: "pipe" | number, args: readonly string[]): Running {
  const child = spawn(process.execPath, ["--conditions=@plimsoll/source", main, ...args], {
    cwd: directory,
    env: { PATH: process.env["PATH"], HOME: directory },
    stdio: ["ignore", log, "pipe"],
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

test("an unknown flag is named and the process ends with 1", async () => {
  const running = start("--config=rules.yaml", "--no-such-flag=1");
  expect(await running.ended).toBe(1);
  expect(running.err).toBe(
    "error: unknown flag: --no-such-flag (PLM4001)\nerror: see --help for all flags\n",
  );
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
  expect(lines.every((line) => /^error: bad\.yaml:\d+:\d+: rules\[\d\].* \(PLM4001\)$/.test(line))).toBe(
    true,
  );
  expect(running.err).not.toContain("    at ");
});

test.each([
  [
    "PLM4010",
    ["--config=missing.yaml"],
    "error: the rules file cannot be read: missing.yaml: there is no such file; check the path",
  ],
  [
    "PLM4020",
    ["--config=rules.yaml", "--lister-kubeconfig=missing"],
    "error: there is no way to kube-apiserver: ",
  ],
  [
    "PLM4030",
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
    "PLM4011",
    ["--config=rules.yaml", "--lister-kubeconfig=kubeconfig", "--prometheus-token-file=missing"],
    "error: Prometheus's credentials cannot be read: missing: there is no such file; check the path",
  ],
])("what the flags point to is reported in one line with %s: %j", async (code, args, expected) => {
  const running = start(...args);
  expect(await running.ended).toBe(1);
  expect(running.err.startsWith(expected)).toBe(true);
  expect(running.err.trimEnd().split("\n")).toHaveLength(1);
  expect(running.err).toContain(`(${code})`);
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
    code: "PLM3003",
    warning: expect.stringContaining("--audit-log-path has no effect"),
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
    () => /"problem":"changing\.yaml:2:3: rules\[0\].*"new rules are not used"/.test(running.out),
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

// Other systems have no such device.
test.runIf(process.platform === "linux")(
  "a full disk under the log: it serves, counts what is lost, and ends at SIGTERM",
  async () => {
    const full = openSync("/dev/full", "w");
    onTestFinished(() => closeSync(full));
    const port = await freePort();
    const running = startWithLog(full, [
      "--config=rules.yaml",
      "--lister-kubeconfig=kubeconfig",
      "--prometheus-url=http://127.0.0.1:1",
      "--bind-address=127.0.0.1",
      `--secure-port=${port}`,
      "--cert-dir=full",
    ]);
    await untilWithin(
      async () => {
        const ca = await readFile(join(directory, "full/ca.crt"), "utf8").catch(() => undefined);
        if (ca === undefined) return false;
        const answer = await get(port, "/healthz", ca).catch(() => []);
        return answer[1] === "ok";
      },
      "it serves",
      timeoutMs,
    );
    running.child.kill("SIGTERM");
    expect(await running.ended).toBe(0);
  },
);

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return port;
}
