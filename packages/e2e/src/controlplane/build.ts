import { spawn } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { accessSync, constants, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Main packages by the name that their binaries have in an envtest folder. */
export const sources = {
  "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
  "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
  etcd: "go.etcd.io/etcd/server/v3",
} as const;

export type ProgramName = keyof typeof sources;

const module = fileURLToPath(new URL("../../controlplane/", import.meta.url));
const progressEveryMs = 15_000;

/** The path of a program built from the pinned modules; building it takes minutes the first time. */
export async function buildProgram(
  name: ProgramName,
  report: (line: string) => void,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  const folder = cacheFolder(environment);
  const binary = join(folder, name);
  if (isExecutable(binary)) return binary;
  const go = findOnPath("go", environment);
  if (go === undefined) {
    throw new Error(
      `${name} is built with Go, and there is no "go" on the PATH: install Go 1.26 or newer, or set KUBEBUILDER_ASSETS to a folder with ${Object.keys(sources).join(", ")}`,
    );
  }
  mkdirSync(folder, { recursive: true });
  const unfinished = `${binary}.${randomUUID()}`;
  const startedAt = performance.now();
  const seconds = () => Math.round((performance.now() - startedAt) / 1000);
  report(`building ${name}, once, into ${folder} (minutes)`);
  const progress = setInterval(() => report(`building ${name} … ${seconds()} s`), progressEveryMs);
  try {
    const args = ["build", "-trimpath", "-buildvcs=false", "-ldflags", linkerFlags()];
    await run(go, [...args, "-o", unfinished, sources[name]], environment);
    renameSync(unfinished, binary);
    report(`built ${name} in ${seconds()} s`);
  } finally {
    clearInterval(progress);
    rmSync(unfinished, { force: true });
  }
  return binary;
}

/** One folder for each state of the pins, so that a new version is never mixed with an old one. */
function cacheFolder(environment: NodeJS.ProcessEnv): string {
  const hash = createHash("sha256");
  for (const file of ["go.mod", "go.sum"]) hash.update(readFileSync(join(module, file)));
  hash.update(`${process.platform}/${process.arch}`);
  const caches = environment["XDG_CACHE_HOME"] || join(homedir(), ".cache");
  return join(caches, "plimsoll", "controlplane", hash.digest("hex").slice(0, 16));
}

/** The pinned version, such as v1.37.1. */
function kubernetesVersion(): string {
  const version = /^\s*k8s\.io\/kubernetes (v\S+)/m.exec(readFileSync(join(module, "go.mod"), "utf8"))?.[1];
  if (version === undefined) throw new Error("controlplane/go.mod does not pin k8s.io/kubernetes");
  return version;
}

/** Without a version the servers call themselves v0.0.0-master at /version. */
function linkerFlags(): string {
  const version = kubernetesVersion();
  const [major = "", minor = ""] = version.slice(1).split(".");
  const values = { gitVersion: version, gitMajor: major, gitMinor: minor, gitTreeState: "clean" };
  const settings = ["k8s.io/component-base/version", "k8s.io/client-go/pkg/version"].flatMap((target) =>
    Object.entries(values).map(([key, value]) => `-X ${target}.${key}=${value}`),
  );
  return ["-s", "-w", ...settings].join(" ");
}

async function run(go: string, args: readonly string[], environment: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn(go, args, {
    cwd: module,
    env: { ...environment, CGO_ENABLED: "0" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors = (errors + text).slice(-10_000);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) throw new Error(`go ${args.at(-1)} ended with exit code ${code}:\n${errors}`);
}

export function findOnPath(name: string, environment: NodeJS.ProcessEnv): string | undefined {
  return (environment["PATH"] ?? "")
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
