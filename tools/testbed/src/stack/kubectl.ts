import { execFile, spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { longWaitMs } from "./until.ts";

/** The real kubectl with one kubeconfig. */
export interface Kubectl {
  /** What it prints. @throws with its standard error when it fails */
  (...args: readonly string[]): Promise<string>;
  /** The lines of a command that does not end by itself, until the reader stops. */
  follow(...args: readonly string[]): AsyncGenerator<string, void, void>;
}

/** Undefined where no kubectl is on the PATH. */
export function findKubectl(kubeconfig: string): Kubectl | undefined {
  const program = (process.env["PATH"] ?? "")
    .split(delimiter)
    .map((folder) => join(folder, "kubectl"))
    .find(isExecutable);
  if (program === undefined) return undefined;
  // kubectl remembers for hours, by host and port, which APIs a server has: another one has had this port before.
  const KUBECACHEDIR = join(dirname(kubeconfig), "kube-cache");
  const environment = { ...process.env, KUBECONFIG: kubeconfig, KUBECACHEDIR };
  const once = async (...args: readonly string[]) => {
    const { stdout } = await promisify(execFile)(program, args, {
      env: environment,
      timeout: longWaitMs,
      maxBuffer: 16 << 20,
    });
    return stdout;
  };
  return Object.assign(once, {
    async *follow(...args: readonly string[]) {
      const child = spawn(program, args, { env: environment, stdio: ["ignore", "pipe", "inherit"] });
      try {
        yield* createInterface({ input: child.stdout });
      } finally {
        child.kill();
      }
    },
  });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
