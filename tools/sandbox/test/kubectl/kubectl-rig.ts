import { execFile, spawn, spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { testFolder } from "@plimsoll/testbed/world";
import { parse, stringify } from "yaml";
import { type AuthorizeHook, createSandbox, type Sandbox, type SandboxAddress } from "../../src/index.ts";

export interface Output {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface KubectlRig {
  readonly sandbox: Sandbox;
  readonly address: SandboxAddress;
  /** The test's own. */
  readonly namespace: string;
  /** Runs kubectl; throws with its stderr when it fails. */
  run(...args: readonly string[]): Promise<string>;
  /** Runs kubectl whatever its exit code. */
  attempt(...args: readonly string[]): Promise<Output>;
  /** Writes a manifest and gives its path. */
  file(name: string, content: string): Promise<string>;
  /** Output of a kubectl that goes on until `enough`. */
  follow(args: readonly string[], enough: (stdout: string) => boolean): Promise<string>;
}

/** The kubectl binaries to test with: the usual one, and those that KUBECTL names. */
export function kubectlPath(): string | undefined {
  const path = process.env["KUBECTL"] ?? "kubectl";
  return spawnSync(path, ["version", "--client"]).status === 0 ? path : undefined;
}

/** Sandboxes are slow to start, so tests share one: each has a namespace, and a kubectl that knows nothing yet. */
export interface SharedSandbox {
  use(test: (rig: KubectlRig) => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

// Bob is the one who may not delete.
const authorize: AuthorizeHook = ({ user, verb }) =>
  user.username === "bob" && verb.startsWith("delete") ? { allowed: false } : undefined;

/** A sandbox with workloads whose pods are ready quickly, and kubectl as its administrator. */
export async function startShared(path: string): Promise<SharedSandbox> {
  const sandbox = createSandbox({ workloads: { readyDelayMs: 50, terminationMs: 50 }, authorize });
  const address = await sandbox.start();
  let tests = 0;
  return {
    async use(test) {
      const namespace = `test-${++tests}`;
      sandbox.store.create("namespaces", {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name: namespace },
      });
      const directory = testFolder();
      await test(await rigOf({ path, sandbox, address, namespace, directory }));
    },
    stop: () => sandbox.stop(),
  };
}

interface Place extends Pick<KubectlRig, "sandbox" | "address" | "namespace"> {
  readonly path: string;
  readonly directory: string;
}

async function rigOf({ path, directory, ...place }: Place): Promise<KubectlRig> {
  const kubeconfig = join(directory, "kubeconfig");
  const config = parse(place.address.kubeconfig) as { contexts: { context: { namespace?: string } }[] };
  for (const { context } of config.contexts) context.namespace = place.namespace;
  await writeFile(kubeconfig, stringify(config));
  const env = { PATH: process.env["PATH"] ?? "", HOME: directory, KUBECONFIG: kubeconfig };
  const attempt = (...args: readonly string[]): Promise<Output> =>
    new Promise((resolve) => {
      execFile(path, [...args], { env }, (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
        resolve({ code, stdout, stderr });
      });
    });
  return {
    ...place,
    attempt,
    async run(...args) {
      const output = await attempt(...args);
      if (output.code !== 0) throw new Error(`kubectl ${args.join(" ")}: ${output.stderr}`);
      return output.stdout;
    },
    async file(name, content) {
      const file = join(directory, name);
      await writeFile(file, content);
      return file;
    },
    follow: (args, enough) =>
      new Promise((resolve, reject) => {
        const child = spawn(path, args, { env, stdio: ["ignore", "pipe", "pipe"] });
        let stdout = "";
        let stderr = "";
        child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
        child.stdout.on("data", (chunk: Buffer) => {
          stdout += chunk.toString();
          if (enough(stdout)) child.kill();
        });
        child.once("error", reject);
        child.once("close", () =>
          enough(stdout) ? resolve(stdout) : reject(new Error(`kubectl ended early: ${stdout}${stderr}`)),
        );
      }),
  };
}

export const shopManifest = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: shop
spec:
  replicas: 2
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec:
      containers:
      - name: main
        image: shop:1
        ports: [{containerPort: 80}]
        resources: {requests: {cpu: 100m}}
`;

/** The shop, ready. @returns the path of its manifest */
export async function withShop({ run, file }: KubectlRig): Promise<string> {
  const manifest = await file("shop.yaml", shopManifest);
  await run("apply", "-f", manifest);
  await run("rollout", "status", "deployment/shop");
  return manifest;
}
