import { writeFileSync } from "node:fs";
import { get as httpsGet } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { createScenario, quietLoads } from "@plimsoll/demo";
import { ApiError } from "@plimsoll/kube";
import {
  type Ending,
  freePort,
  type PlimsollProcess,
  plimsollCommand,
  prometheusProgram,
  runToEnd,
  type Stack,
  startPlimsoll,
  startPrometheus,
  until,
} from "@plimsoll/testbed";
import { fileFolder } from "@plimsoll/testbed/world";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { example, temporaryStack } from "../fixture.ts";

describe("command lines", () => {
  const folder = fileFolder();
  // Each way to be wrong is tested in its package; here, what a process makes of it.
  const run = (name: "metrics-adapter" | "autoscaler", ...args: readonly string[]): Promise<Ending> => {
    const { command, args: before } = plimsollCommand(name);
    return runToEnd(command, [...before, ...args]);
  };

  test.concurrent("every problem of a rules file is listed with its path and line", async () => {
    const file = join(folder, "rules.yaml");
    writeFileSync(
      file,
      `rules:
  - seriesQuery: up
    resources:
      template: "<<.Resorce>>"
    name:
      matches: "(unclosed"
    metricsQuery: sum(<<.Series>>
  - seriesQurey: up
    seriesFilters:
      - is: a
        isNot: b
`,
    );
    const { code, stdout, stderr } = await run("metrics-adapter", `--config=${file}`);
    const output = stdout + stderr;
    expect(code).toBe(1);
    expect(output).toMatch(/rules\[0\]\.resources\.template/);
    expect(output).toMatch(/rules\[0\]\.name\.matches/);
    expect(output).toMatch(/rules\[1\]\.seriesQurey/);
    expect(output).toMatch(/rules\[1\]\.seriesFilters\[0\]/);
    for (const line of [4, 6, 8, 10]) expect(output).toMatch(new RegExp(`rules\\.yaml:${line}\\b`));
    expect(output).not.toMatch(/\n\s+at /);
  });

  test.concurrent("all wrong flags of the autoscaler are reported at once", async () => {
    const { code, stdout, stderr } = await run(
      "autoscaler",
      "--no-such-flag=1",
      "--horizontal-pod-autoscaler-sync-period=soon",
      "--manage-hpas=some",
    );
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("--no-such-flag");
    expect(stderr).toMatch(/--horizontal-pod-autoscaler-sync-period.*soon/);
    expect(stderr).toMatch(/--manage-hpas.*some/);
    expect(stderr).not.toMatch(/\n\s+at /);
  });
});

describe("requests and samples", () => {
  let stack: Stack;
  let stop: () => Promise<void>;
  let folder: string;

  beforeAll(async () => {
    ({ stack, stop, folder } = await temporaryStack({
      rules: example("rules.yaml"),
      loads: quietLoads(createScenario("fast")),
      adapterArgs: ["--metrics-relist-interval=1s", "--metrics-max-age=10s", "--metrics-result-max-age=0s"],
    }));
    await until("the first queue depth", () => queueDepth());
  });
  afterAll(() => stop?.());

  const custom = "/apis/custom.metrics.k8s.io/v1beta2/namespaces/default";
  const external = "/apis/external.metrics.k8s.io/v1beta1/namespaces/default";

  const get = (path: string) => stack.client.request<{ items: readonly { value: string }[] }>({ path });
  const queueDepth = async () => (await get(`${external}/queue_depth`)).items[0]?.value;
  const failureOf = async (path: string): Promise<ApiError> => {
    try {
      await get(path);
    } catch (error) {
      if (error instanceof ApiError) return error;
      throw error;
    }
    throw new Error(`${path} was answered`);
  };

  /** The checks of /readyz that fail, on the adapter's own port. */
  const failingChecks = async (adapter: PlimsollProcess): Promise<readonly string[]> => {
    const body = await new Promise<string>((resolve, reject) => {
      const target = { host: "127.0.0.1", port: adapter.port, path: "/readyz?verbose" };
      httpsGet({ ...target, rejectUnauthorized: false }, (answer) => {
        text(answer).then(resolve, reject);
      }).once("error", reject);
    });
    return body.split("\n").filter((line) => line.startsWith("[-]"));
  };

  test("a Prometheus that is away at the start is waited for, aloud", async () => {
    const port = await freePort();
    const kubeconfig = stack.kubeconfigFor("metrics-adapter");
    const adapter = await startPlimsoll("metrics-adapter", [
      `--config=${example("rules.yaml")}`,
      `--prometheus-url=http://127.0.0.1:${port}`,
      `--lister-kubeconfig=${kubeconfig}`,
      `--authentication-kubeconfig=${kubeconfig}`,
      `--authorization-kubeconfig=${kubeconfig}`,
      "--bind-address=127.0.0.1",
      "--secure-port=0",
      "--cert-dir=",
    ]);
    try {
      await until("the log to name the cause", () =>
        adapter.lines.some((line) => line.includes("ECONNREFUSED")) ? true : undefined,
      );
      const [check = ""] = await failingChecks(adapter);
      expect(check).toContain("metrics");
      const late = await startPrometheus({
        binary: prometheusProgram(),
        folder: join(folder, "late"),
        target: "127.0.0.1:9",
        scrapeIntervalMs: 1000,
        port,
      });
      try {
        await until("the adapter to be ready", async () =>
          (await failingChecks(adapter)).length === 0 ? true : undefined,
        );
      } finally {
        await late.stop();
      }
    } finally {
      await adapter.stop();
    }
  });

  test("an unknown metric is 404 NotFound", async () => {
    expect(await failureOf(`${custom}/pods/*/no-such-metric`)).toMatchObject({
      code: 404,
      reason: "NotFound",
    });
    expect(await failureOf(`${external}/no_such_metric`)).toMatchObject({ code: 404, reason: "NotFound" });
  });

  test("an object without a series is 404 and named", async () => {
    const failure = await failureOf(
      `${custom}/ingresses.networking.k8s.io/no-such-route/requests-per-second`,
    );
    expect(failure).toMatchObject({ code: 404, reason: "NotFound" });
    expect(failure.message).toContain("no-such-route");
  });

  test("a selector that cannot be read is 400", async () => {
    expect(await failureOf(`${custom}/pods/*/packets-per-second?labelSelector=%3D`)).toMatchObject({
      code: 400,
      reason: "BadRequest",
    });
  });

  test("NaN is never a number: the metric says so, and comes back with the next good sample", async () => {
    const end = stack.load.fault({ metric: "queue_depth", kind: "nan" });
    try {
      const failure = await until("the sample to be refused", () =>
        failureOf(`${external}/queue_depth`).catch(() => undefined),
      );
      expect(failure).toMatchObject({ code: 404, reason: "NotFound" });
      expect(failure.message).toContain("NaN");
    } finally {
      end();
    }
    expect(await until("the sample to come back", queueDepth)).toBe("24");
  });

  // Last, because it takes Prometheus away.
  test("without Prometheus the adapter returns 503, says why, and goes on", async () => {
    await stack.prometheus.stop();
    const failure = await failureOf(`${external}/queue_depth`);
    expect(failure).toMatchObject({ code: 503, reason: "ServiceUnavailable" });
    const groups = await stack.client.request<{ resources: readonly unknown[] }>({
      path: "/apis/custom.metrics.k8s.io/v1beta2",
    });
    expect(groups.resources.length).toBeGreaterThan(0);
    await until("the log to name the cause", () =>
      stack.adapter.lines.some((line) => line.includes("ECONNREFUSED")) ? true : undefined,
    );
  });
});
