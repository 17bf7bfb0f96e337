// The command line on the demo, as a reader of the README uses it: by a kubeconfig, through the API server.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCli } from "@plimsoll/cli";
import { createScenario, keptLoads, startDemoAutoscaler } from "@plimsoll/demo";
import { type PlimsollProcess, type Stack, until } from "@plimsoll/testbed";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { example, local, temporaryStack } from "../fixture.ts";

let stack: Stack;
let stop: () => Promise<void>;
let folder: string;
let autoscaler: PlimsollProcess;

beforeAll(async () => {
  ({ stack, stop, folder } = await temporaryStack({
    rules: example("rules.yaml"),
    loads: keptLoads(createScenario("fast")),
    adapterArgs: ["--metrics-relist-interval=1s", "--metrics-max-age=10s"],
  }));
  autoscaler = await startDemoAutoscaler(stack, { folder, speed: "fast" });
  await stack.apply(example("autoscalers.yaml"));
  await until("the worker to be held by its maximum", async () => {
    const { code, out } = await run(["explain", "worker", "-o", "json"]);
    if (code !== 0) return undefined;
    const { source, summary } = JSON.parse(out) as {
      readonly source: string;
      readonly summary: { readonly current: number; readonly heldBy: string };
    };
    return source === "recorded" && summary.current === 10 && summary.heldBy === "max" ? true : undefined;
  });
});

afterAll(async () => {
  await autoscaler?.stop();
  await stop?.();
});

async function run(args: readonly string[], kubeconfig = stack.kubeconfig) {
  let [out, errors] = ["", ""];
  const code = await runCli({
    args: [...args, `--kubeconfig=${kubeconfig}`],
    name: "plimsoll",
    version: "0.0.0",
    readText: (path) => Promise.resolve(readFileSync(path, "utf8")),
    writeOut: (part) => (out += part),
    writeError: (part) => (errors += part),
    nowMs: () => Date.now(),
    signal: new AbortController().signal,
  });
  return { code, out, errors };
}

const readme = readFileSync(local("../../../README.md"), "utf8");

/** What the README shows below a command. */
function shownFor(command: string): string {
  const [, shown = ""] = readme.split(`plimsoll ${command}\n\`\`\`\n\n\`\`\`text\n`);
  return shown.slice(0, shown.indexOf("```"));
}

test("the README shows what explain says about the workload that is stuck", async () => {
  const shown = shownFor("explain worker");
  expect(shown).toContain("Staying at 10 replicas");
  const sameAge = (text: string): string => text.replace(/recorded \d+s ago/, "recorded 0s ago");
  // On a busy machine a scrape may have been given up, and the latest decision has no value.
  await expect
    .poll(
      async () => {
        const { out, ...rest } = await run(["explain", "worker"]);
        return { ...rest, out: sameAge(out) };
      },
      { interval: 500 },
    )
    .toEqual({ code: 0, errors: "", out: sameAge(shown) });
});

test("each command shows what was recorded", async () => {
  const shows = (args: readonly string[], out: RegExp) =>
    expect
      .poll(() => run(args), { interval: 500 })
      .toEqual({ code: 0, errors: "", out: expect.stringMatching(out) });
  await shows(["status"], /^worker +10 +14 +1-10 +queue_depth +1\.33\d* +max +\S+$/m);
  await shows(
    ["watch", "worker", "--until=desired=10"],
    /^\d\d:\d\d:\d\d {2}10 = 10 +hold +proposed 14 \(queue_depth 400\) +max$/m,
  );
  const doctor = await run(["doctor"]);
  expect([doctor.code, doctor.errors]).toEqual([0, ""]);
});

test("--why-not names the setting, once the policies for scaling up let fourteen through", async () => {
  await until("a setting", async () => {
    const { out } = await run(["explain", "worker", "--why-not=14"]);
    expect(out).toMatch(/^Why not 14: capped by maxReplicas \(10\)\.\n/);
    return /^ {2}with +maxReplicas >= 14$/m.test(out) ? true : undefined;
  });
});

test("shadow says that nothing is in shadow where the autoscaler manages all", async () => {
  expect(await run(["shadow"])).toEqual({
    code: 0,
    out: "",
    errors: "nothing to compare: the autoscaler manages all 4 objects itself\n",
  });
});

/** Kubeconfigs of a user who may read all, by each kind of credential. */
function kubeconfigs(): Readonly<Record<string, string>> {
  const token = stack.kubeconfigFor("reader");
  const config = parse(readFileSync(token, "utf8")) as {
    readonly users: readonly { readonly name: string; readonly user: { readonly token?: string } }[];
  };
  const credential = {
    apiVersion: "client.authentication.k8s.io/v1",
    kind: "ExecCredential",
    status: { token: config.users[0]?.user.token },
  };
  const plugin = {
    apiVersion: credential.apiVersion,
    command: process.execPath,
    args: ["-e", `process.stdout.write(${JSON.stringify(JSON.stringify(credential))})`],
    interactiveMode: "Never",
  };
  const exec = join(folder, "exec.kubeconfig");
  const users = config.users.map(({ name }) => ({ name, user: { exec: plugin } }));
  writeFileSync(exec, stringify({ ...config, users }), { mode: 0o600 });
  return { certificate: stack.kubeconfig, token, exec };
}

test.each(["certificate", "token", "exec"])(
  "a kubeconfig with a %s passes by the APIService, and to the autoscaler itself",
  async (kind) => {
    const server = `--server=https://127.0.0.1:${autoscaler.securePort}`;
    const direct = ["--via=server", server, `--ca-file=${join(folder, "autoscaler-ca.crt")}`];
    for (const way of [["--via=apiservice"], direct, ["--via=none"]]) {
      const { code, out, errors } = await run(["explain", "worker", ...way], kubeconfigs()[kind]);
      expect([code, errors]).toEqual([0, ""]);
      expect(out).toContain(way[0] === "--via=none" ? "recomputed now" : "recorded ");
    }
  },
);

test("--as passes by the APIService, and is refused where the API server does not pass it on", async () => {
  const as = ["explain", "worker", "--as=system:serviceaccount:plimsoll:reader"];
  const passed = await run([...as, "--via=apiservice"]);
  expect([passed.code, passed.errors]).toEqual([0, ""]);
  expect(passed.out).toContain("recorded ");
  const refused = await run([...as, "--via=port-forward"]);
  expect(refused.code).toBe(1);
  expect(refused.errors).toContain("--as works through the APIService only");
});
