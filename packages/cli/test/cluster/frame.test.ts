// Flags, outputs, notes and exit codes that all commands for clusters have.
import { type ConnectOptions, KubeconfigError } from "@plimsoll/kube";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { fakeCluster, nowMs, run } from "./fake-cluster.ts";
import { putWorkload, statusOf } from "./workload.ts";

function cluster() {
  const fake = fakeCluster();
  putWorkload(fake, { name: "shop", replicas: 8, status: statusOf(8, { cpu: 34 }) });
  return fake;
}

test("flags choose the kubeconfig, the user and whom requests are made as", async () => {
  const fake = cluster();
  const seen: ConnectOptions[] = [];
  await run(
    fake,
    [
      "status",
      "--kubeconfig=k",
      "--context=c",
      "--cluster=b",
      "--user=u",
      "--as=alice",
      "--as-group=a",
      "--as-group=b",
    ],
    {
      connect: (options) => {
        seen.push(options);
        return Promise.resolve(fake.connection({ nowMs: () => nowMs, after: () => () => undefined }));
      },
    },
  );
  expect(seen).toMatchObject([
    {
      kubeconfig: "k",
      context: "c",
      cluster: "b",
      user: "u",
      impersonate: { user: "alice", groups: ["a", "b"] },
      userAgent: "plimsoll/1.2.3",
    },
  ]);
});

test.each<[readonly string[], string]>([
  [
    ["explain", "shop", "--request-timeout=x"],
    "--request-timeout x is not a duration of at least 0.001s: use a value such as 30s or 5m",
  ],
  [["explain", "shop", "--as-group=a"], "--as-group needs --as"],
  [["explain", "shop", "--why-not=-1"], "--why-not -1 is not a whole number from 0 to 2147483647"],
  [["explain", "shop", "--back=x"], "--back x is not a whole number from 0 to 1000000"],
  [["explain", "shop", "--at=noon"], "--at noon is not a time: use a value such as 2026-12-24T08:00:00Z"],
  [
    ["explain", "shop", "--tolerance=x"],
    "--tolerance x is not a number of at least 0: use a value such as 0.1",
  ],
  [
    ["explain", "shop", "--downscale-stabilization=x"],
    "--downscale-stabilization x is not a duration of at least 0s: use a value such as 30s or 5m",
  ],
  [["status", "-A", "-n", "x"], "-A and -n can't be combined"],
  [["status", "--limit=-1"], "--limit -1 is not a whole number from 0 to 100000"],
])("%j says what is allowed, and ends with 1", async (args, message) => {
  expect(await run(cluster(), args)).toEqual({ code: 1, out: "", errors: `error: ${message}\n` });
});

test("an unknown output names those that there are", async () => {
  const { code, errors } = await run(cluster(), ["status", "-o", "jsonpath"]);
  expect(code).toBe(1);
  expect(errors).toContain("Allowed choices are table, wide, json, yaml, name.");
});

test("a kubeconfig that cannot be used is one sentence", async () => {
  const connect = () =>
    Promise.reject(new KubeconfigError("the kubeconfig has no current context; there are: a, b"));
  expect(await run(cluster(), ["status"], { connect })).toEqual({
    code: 1,
    out: "",
    errors: "error: the kubeconfig has no current context; there are: a, b\n",
  });
});

test("a refusal is worded as the API server words it", async () => {
  const fake = cluster();
  fake.deny(/horizontalpodautoscalers$/);
  const { code, errors } = await run(fake, ["status", "-A", "--via=none"]);
  expect([code, errors]).toEqual([
    1,
    'error: /apis/autoscaling/v2/horizontalpodautoscalers is forbidden: User "u" cannot read it\n',
  ]);
});

test("a server without autoscaling/v2 is named, and nothing is done", async () => {
  const { code, errors } = await run(fakeCluster({ version: "v1.22.3", groups: ["apps"] }), ["status"]);
  expect([code, errors]).toEqual([
    1,
    "error: the server (v1.22.3) does not serve autoscaling/v2, but no version of it\n",
  ]);
});

test("an old server is noted", async () => {
  const fake = fakeCluster({ version: "v1.28.9" });
  putWorkload(fake, { name: "shop", replicas: 8, usage: "300m" });
  const { code, errors } = await run(fake, ["explain", "shop", "--via=none"]);
  expect([code, errors]).toEqual([
    0,
    "note: the server is v1.28.9: using the rules of 1.32 for releases before 1.30\n",
  ]);
});

test("-v lists each request with its duration", async () => {
  const { errors } = await run(cluster(), ["status", "-v"]);
  expect(errors.split("\n")).toContain("GET /version ok 0ms");
  expect(errors).toContain("GET /api/v1/namespaces/default/pods?labelSelector=app=shop&limit=500 ok 0ms");
});

test("JSON and YAML are the same document", async () => {
  const [json, yaml] = await Promise.all(
    ["json", "yaml"].map((format) => run(cluster(), ["explain", "shop", "-o", format])),
  );
  expect(parse(yaml?.out ?? "")).toEqual(JSON.parse(json?.out ?? ""));
});

test("-o name writes names that kubectl takes", async () => {
  expect((await run(cluster(), ["status", "-o", "name"])).out).toBe(
    "horizontalpodautoscaler.autoscaling/shop\n",
  );
});

test("--no-headers leaves the headings out", async () => {
  const { out } = await run(cluster(), ["status", "--no-headers"]);
  expect(out.split("\n")[0]).toMatch(/^shop /);
});

test.each<[readonly string[], Readonly<Record<string, string>>, boolean, boolean]>([
  [[], {}, true, true],
  [[], {}, false, false],
  [[], { NO_COLOR: "1" }, true, false],
  [["--color=always"], { NO_COLOR: "1" }, false, true],
  [["--color=never"], {}, true, false],
])("colors: %j with %j on a terminal: %s", async (flags, env, isTty, isColored) => {
  const terminal = { isTty, columns: 160, isUtf8: true };
  const { out } = await run(cluster(), ["status", ...flags], { env, terminal });
  expect(out.includes("\u001b[")).toBe(isColored);
});

test("names cannot control the terminal", async () => {
  const fake = fakeCluster();
  putWorkload(fake, {
    name: "shop",
    replicas: 2,
    metrics: [
      {
        type: "External",
        external: {
          metric: { name: "a\u001b[2J\u202egpj.exe" },
          target: { type: "AverageValue", averageValue: "3" },
        },
      },
    ],
  });
  for (const args of [
    ["explain", "shop"],
    ["explain", "shop", "--full"],
    ["status"],
    ["explain", "shop", "-o", "markdown"],
  ]) {
    const { out } = await run(fake, args);
    expect(out).toMatch(/a\\+x1b/);
    expect(out).not.toContain("\u001b");
    expect(out).not.toContain("\u202e");
  }
});

test.each([[["explain", "shop"]], [["status", "shop"]], [["status"]], [["doctor", "shop"]]])(
  "neither can messages of the API server: %j",
  async (args) => {
    const fake = cluster();
    const path = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";
    for (const refused of [path, `${path}/shop`])
      fake.reply(refused, "no\u001b]0;x\u0007 \u202e \u009b2J Authorization: Bearer canary-1f2e", 500);
    const { code, out, errors } = await run(fake, args);
    expect(code).toBe(1);
    expect(errors).toContain("no\\x1b]0;x\\x7 \\x202e \\x9b2J");
    expect(out + errors).not.toMatch(/canary|[^\P{Cc}\n]|\u202e/u);
  },
);

test.each(["json", "yaml"])("documents have control characters as escapes: %s", async (format) => {
  const fake = fakeCluster();
  const name = "a\u009b2J\u202egpj.exe\u2066";
  const target = { type: "AverageValue", averageValue: "3" } as const;
  putWorkload(fake, {
    name: "shop",
    replicas: 2,
    metrics: [{ type: "External", external: { metric: { name }, target } }],
  });
  const { out } = await run(fake, ["status", "-o", format]);
  expect(out).not.toMatch(/[\u0080-\u009f\u202e\u2066]/);
  const { items } = parse(out) as { items: { metrics: { name: string }[] }[] };
  expect(items[0]?.metrics[0]?.name).toBe(name);
});

test("without objects a list says so, and ends with 0", async () => {
  expect(await run(fakeCluster(), ["status", "-n", "web", "--via=none"])).toEqual({
    code: 0,
    out: "",
    errors: "no HorizontalPodAutoscaler or WorkloadAutoscaler in namespace web\n",
  });
});

test("an interrupt ends with 130", async () => {
  const signal = AbortSignal.abort(new Error("interrupted"));
  expect(await run(cluster(), ["status"], { signal })).toMatchObject({ code: 130, out: "" });
});

test.each([[["status"]], [["explain", "shop"]], [["doctor"]]])(
  "nor does it wait for a server that does not respond: %j",
  async (args) => {
    const interrupted = new AbortController();
    const { client, access } = cluster().connection({ nowMs: () => nowMs, after: () => () => undefined });
    const never = () => new Promise<never>(() => undefined);
    const request = () => {
      queueMicrotask(() => interrupted.abort(new Error("interrupted")));
      return never();
    };
    const ended = await run(cluster(), args, {
      signal: interrupted.signal,
      connect: () => Promise.resolve({ client: { ...client, request, close: never }, access }),
    });
    expect(ended).toEqual({ code: 130, out: "", errors: "" });
  },
);
