import { readFile } from "node:fs/promises";
import { manualClock } from "@plimsoll/component-base/testing";
import { until } from "@plimsoll/testbed/world";
import { expect, onTestFinished, test } from "vitest";
import { run } from "../../src/app/run.ts";
import { recordingLog } from "../http/fakes.ts";
import { get, goodRules, lonelyFlags, makeFolder, readCa } from "./adapter-process.ts";

/** What the process does, in this one: on a clock of its own, with files that the test changes. */
async function start(args: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const folder = await makeFolder();
  const files = new Map(Object.entries({ "rules.yaml": goodRules, ...more }));
  const log = recordingLog();
  const clock = manualClock(Date.now());
  let err = "";
  let stop = (): void => {};
  const ended = run({
    // These two are read without the seam.
    args: args.map((arg) => arg.replace(/^--(?:lister-kubeconfig|cert-dir)=/, `$&${folder}/`)),
    writeOut: () => {},
    writeError: (text) => (err += text),
    createLog: () => log,
    lostLogLines: () => 0,
    readText: async (path) => files.get(path) ?? readFile(path, "utf8"),
    clock,
    hostname: "adapter-0",
    build: { version: "1.2.3", runtime: "node", platform: "linux/x64" },
    shutdownDelayMs: 0,
    stopRequested: new Promise((resolve) => {
      stop = resolve;
    }),
  });
  return { folder, files, log, clock, ended, err: () => err, stop: () => stop() };
}

test("an invalid rules file ends it with 1 and every problem on a line of its own", async () => {
  const { ended, err } = await start(["--config=bad.yaml", "--lister-kubeconfig=kubeconfig"], {
    "bad.yaml": `rules:
- seriesQuery: 'a'
  name: {matches: "(("}
  metricsQuery: '<<.Series'
- seriesQueri: 'b'
`,
  });
  expect(await ended).toBe(1);
  const lines = err().trimEnd().split("\n");
  expect(lines.length).toBeGreaterThanOrEqual(3);
  expect(lines.every((line) => /^error: bad\.yaml:\d+:\d+: rules\[\d\].* \(PLM4001\)$/.test(line))).toBe(
    true,
  );
  expect(err()).not.toContain("    at ");
});

test("a rule with live ends it where no pod is scraped, whatever other rules there are", async () => {
  const live = "  live: {namespace: gateway, podSelector: {matchLabels: {app: gateway}}, port: metrics}\n";
  const { ended, err } = await start(["--config=live.yaml", "--lister-kubeconfig=kubeconfig"], {
    "live.yaml": `${goodRules}${goodRules.replace("rules:\n", "")}${live}`,
  });
  expect(await ended).toBe(1);
  expect(err()).toBe(
    "error: live.yaml:8:9: rules[1].live: pods are not scraped: start the adapter with --live-metrics, or remove the field (PLM4001)\n",
  );
});

test.each([
  [
    "PLM4010",
    ["--config=missing.yaml"],
    "error: cannot read the rules file: missing.yaml: file not found; check the path",
  ],
  [
    "PLM4020",
    ["--config=rules.yaml", "--lister-kubeconfig=missing"],
    "error: cannot connect to kube-apiserver: ",
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
    "error: cannot read the credentials for Prometheus: missing: file not found; check the path",
  ],
  [
    "PLM4001",
    [
      "--config=rules.yaml",
      "--lister-kubeconfig=kubeconfig",
      "--prometheus-url=http://prometheus.invalid",
      "--prometheus-proxy-url=http://user:%zz@proxy.invalid",
    ],
    "error: --prometheus-proxy-url: HTTP_PROXY has a password that ",
  ],
])("what the flags point to is reported in one line with %s: %j", async (code, args, expected) => {
  const { ended, err } = await start(args);
  expect(await ended).toBe(1);
  expect(err().startsWith(expected)).toBe(true);
  expect(err().trimEnd().split("\n")).toHaveLength(1);
  expect(err()).toContain(`(${code})`);
});

/** A process that serves. */
async function serving(args: readonly string[], more?: Readonly<Record<string, string>>) {
  const running = await start([...lonelyFlags, "--secure-port=0", ...args], more);
  const { log, clock } = running;
  const said = (message: string): string | undefined => {
    const line = log.lines.find((one) => one.message === message);
    return line && JSON.stringify(line.fields);
  };
  let isEnded = false;
  const ended = running.ended.finally(() => (isEnded = true));
  onTestFinished(async () => {
    running.stop();
    await until("it ends", async () => {
      await clock.advance(1_000);
      return isEnded;
    });
  });
  await Promise.race([ended, until("it serves", () => said("serving") !== undefined)]);
  const { port } = JSON.parse(said("serving") ?? "") as { port: number };
  const ca = await readCa(running.folder);
  const readiness = async (): Promise<string> => (await get(port, "/readyz?verbose", ca))[1];
  return { ...running, said, readiness };
}

test("a changed rules file is taken up while running, a broken one is not and shows in readyz", async () => {
  const { files, clock, said, readiness } = await serving([]);
  expect(await readiness()).toContain("[+]rules ok\n");

  files.set("rules.yaml", "rules:\n- seriesQueri: a\n");
  await clock.advance(2_000);
  expect(said("new rules are rejected; keeping the old ones")).toMatch(
    /"problem":"rules\.yaml:2:3: rules\[0\]/,
  );
  const broken = "[+]rules ok: using older rules: the file has 1 problems, first at rules.yaml:2:3\n";
  expect(await readiness()).toContain(broken);

  files.set("rules.yaml", `external${goodRules.replace("rules", "Rules")}`);
  await clock.advance(2_000);
  await until("it takes the new rules up", () => said("switched to new rules") !== undefined);
  expect(await readiness()).toContain("[+]rules ok\n");
});

test("a changed file of sources is taken up while running, a broken one is not and shows in readyz", async () => {
  const source = (name: string): string => `sources:\n- {name: ${name}, url: "http://127.0.0.1:1"}\n`;
  const { files, clock, said, readiness } = await serving(["--sources-config=sources.yaml"], {
    "sources.yaml": source("a"),
  });
  expect(await readiness()).toContain("[+]sources ok\n");
  files.set("sources.yaml", source("A"));
  await clock.advance(2_000);
  await until(
    "it says what is wrong",
    () => said("new sources are rejected; keeping the old ones") !== undefined,
  );
  expect(await readiness()).toContain(
    "[+]sources ok: using older sources: the file has 1 problems, first sources.yaml:2:10: ",
  );
  files.set("sources.yaml", source("b"));
  await clock.advance(2_000);
  await until("it takes the new sources up", () => said("switched to new sources") !== undefined);
  expect(await readiness()).toContain("[+]sources ok\n");
});

test("all files of sources that cannot be used are reported at the start", async () => {
  const auth = "auth: {type: bearer, tokenFile: missing}";
  const { ended, err } = await start([...lonelyFlags, "--sources-config=sources.yaml"], {
    "sources.yaml": `sources:\n- {name: a, url: "http://a", ${auth}}\n- {name: b, url: "http://b", ${auth}}\n`,
  });
  expect(await ended).toBe(1);
  expect(err()).toMatch(
    /^error: cannot use a source: source a: .*missing.*; source b: .*missing.* \(PLM4015\)\n$/,
  );
});
