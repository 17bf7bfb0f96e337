import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { promisify } from "node:util";
import { createScenario } from "@plimsoll/demo";
import {
  contained,
  gaugeRules,
  type ImageRecipe,
  type PlimsollProcess,
  type PlimsollProgram,
  processInside,
  readDockerfile,
  type Stack,
  startPlimsoll,
  until,
} from "@plimsoll/testbed";
import { fileFolder } from "@plimsoll/testbed/world";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { example, local, temporaryStack } from "../fixture.ts";

const run = promisify(execFile);
const repository = local("../../../");

interface Image extends ImageRecipe {
  readonly rootfs: string;
  /** What is mounted at /tmp. */
  readonly tmp: string;
}

const folder = fileFolder();
const images = {} as Record<PlimsollProgram, Image>;
let stack: Stack;
let stop: () => Promise<void>;

beforeAll(async () => {
  for (const name of ["metrics-adapter", "autoscaler"] as const) images[name] = await assemble(name);
  ({ stack, stop } = await temporaryStack({
    rules: gaugeRules,
    loads: createScenario("fast").streams.map(({ load }) => load),
    adapterArgs: ["--metrics-relist-interval=1s", "--metrics-max-age=10s"],
  }));
});

afterAll(async () => {
  await stop?.();
});

/** Does what the Dockerfile does, on this machine. */
async function assemble(name: PlimsollProgram): Promise<Image> {
  const recipe = readDockerfile(
    readFileSync(join(repository, "deploy", "images", name, "Dockerfile"), "utf8"),
  );
  const rootfs = join(folder, name, "rootfs");
  const tmp = join(folder, name, "tmp");
  mkdirSync(tmp, { recursive: true });
  const [node, ...args] = recipe.assemble;
  expect(node).toBe("node");
  await run(process.execPath, [...args, rootfs], {
    cwd: repository,
    env: { NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] },
  });
  return { ...recipe, rootfs, tmp };
}

/** Starts an image with arguments, as a pod does. */
function start(name: PlimsollProgram, args: readonly string[]): Promise<PlimsollProcess> {
  const image = images[name];
  return startPlimsoll(name, args, contained(image, { ...image, args: image.entrypoint }));
}

/** Ends it as a pod is ended. @returns its exit code */
async function end(started: PlimsollProcess): Promise<number | null> {
  process.kill(processInside(started.pid), "SIGTERM");
  return started.exited;
}

const lookAround = `
  const fs = require("node:fs");
  const written = (path) => { try { fs.writeFileSync(path, "x"); return true; } catch (error) { return error.code; } };
  const executables = [];
  const walk = (folder) => {
    for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
      const path = folder + entry.name;
      if (["/proc", "/tmp"].includes(path)) continue;
      if (entry.isDirectory()) walk(path + "/");
      else if (fs.statSync(path).mode & 0o111 && !/\\.so(\\.|$)/.test(path)) executables.push(path);
    }
  };
  walk("/");
  const status = fs.readFileSync("/proc/self/status", "utf8");
  console.log(JSON.stringify({
    ids: [process.getuid(), process.getgid()],
    capabilities: /^CapEff:\\s*(\\w+)$/m.exec(status)[1],
    processes: fs.readdirSync("/proc").filter((name) => /^\\d+$/.test(name)),
    root: written("/x"), tmp: written("/tmp/x"), shell: fs.existsSync("/bin/sh"), executables,
  }));
`;

describe.each(["metrics-adapter", "autoscaler"] as const)("the image of %s", (name) => {
  test("is one user without rights, a root that no user can write, and no program but its own", async () => {
    const image = images[name];
    const { command, args } = contained(image, { ...image, args: ["/nodejs/bin/node", "-e", lookAround] });
    const { stdout } = await run(command, args);
    expect(JSON.parse(stdout)).toEqual({
      ids: [10_001, 10_001],
      capabilities: "0000000000000000",
      processes: ["1"],
      root: "EROFS",
      tmp: true,
      shell: false,
      executables: expect.arrayContaining(["/nodejs/bin/node", image.entrypoint[0]]),
    });
    const { executables } = JSON.parse(stdout) as { executables: readonly string[] };
    expect(executables).toHaveLength(2);
  });

  test("prints --help", async () => {
    const image = images[name];
    const { command, args } = contained(image, { ...image, args: [...image.entrypoint, "--help"] });
    expect((await run(command, args)).stdout).toContain("kubeconfig");
  });
});

test("the adapter's image serves health, discovery and metrics, with the arguments of prometheus-adapter's chart", async () => {
  const { tmp } = images["metrics-adapter"];
  copyFileSync(gaugeRules, join(tmp, "config.yaml"));
  copyFileSync(stack.kubeconfigFor("metrics-adapter"), join(tmp, "kubeconfig"));
  const adapter = await start("metrics-adapter", [
    // The chart names the program as its own first argument.
    "/adapter",
    "--secure-port=0",
    "--cert-dir=/tmp/cert",
    "--logtostderr=true",
    `--prometheus-url=${stack.prometheus.url}`,
    "--metrics-relist-interval=1s",
    "--metrics-max-age=10s",
    "--v=4",
    "--config=/tmp/config.yaml",
    "--lister-kubeconfig=/tmp/kubeconfig",
    "--authentication-kubeconfig=/tmp/kubeconfig",
    "--authorization-kubeconfig=/tmp/kubeconfig",
  ]);
  const ca = readFileSync(join(tmp, "cert", "ca.crt"), "utf8");
  const token = stack.address.serviceAccountToken("plimsoll", "reader");
  const get = (path: string) => secureGet({ port: adapter.port, path, ca, token });
  expect(await get("/healthz")).toEqual({ code: 200, body: "ok" });
  await until("the custom metrics to be listed", async () => {
    const { body } = await get("/apis/custom.metrics.k8s.io/v1beta2");
    const { kind, resources } = JSON.parse(body) as { kind: string; resources: { name: string }[] };
    expect(kind).toBe("APIResourceList");
    return resources.some((resource) => resource.name === "pods/packets-per-second") ? true : undefined;
  });
  const path = "/apis/custom.metrics.k8s.io/v1beta2/namespaces/default/pods/*/packets-per-second";
  await until("a value of a metric", async () => {
    const { items } = JSON.parse((await get(path)).body) as { items?: readonly unknown[] };
    return items !== undefined && items.length > 0 ? true : undefined;
  });
  expect(await end(adapter)).toBe(0);
});

test("the autoscaler's image decides", async () => {
  await stack.apply(example("autoscalers.yaml"));
  const { tmp } = images.autoscaler;
  writeFileSync(join(tmp, "kubeconfig"), readFileSync(stack.kubeconfigFor("autoscaler")));
  const autoscaler = await start("autoscaler", [
    "--kubeconfig=/tmp/kubeconfig",
    "--manage-hpas=all",
    "--horizontal-pod-autoscaler-sync-period=1s",
    "--horizontal-pod-autoscaler-cpu-initialization-period=0s",
    "--horizontal-pod-autoscaler-initial-readiness-delay=0s",
    "--port=0",
  ]);
  expect(await (await fetch(`http://127.0.0.1:${autoscaler.port}/healthz`)).text()).toBe("ok\n");
  await until("the load on router to be followed", () => {
    const spec = stack.store.get("deployments.apps", "default", "router")?.spec as
      | { replicas?: number }
      | undefined;
    return (spec?.replicas ?? 0) > 1 ? true : undefined;
  });
  expect(await end(autoscaler)).toBe(0);
});

function secureGet(options: {
  readonly port: number;
  readonly path: string;
  readonly ca: string;
  readonly token: string;
}): Promise<{ readonly code: number | undefined; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const { port, path, ca } = options;
    const headers = { authorization: `Bearer ${options.token}` };
    request({ host: "127.0.0.1", servername: "localhost", port, path, ca, headers }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        body += part;
      });
      response.on("end", () => resolve({ code: response.statusCode, body }));
    })
      .on("error", reject)
      .end();
  });
}
