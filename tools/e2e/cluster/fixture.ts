import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ConnectionError } from "@plimsoll/kube";
import {
  type ClusterStack,
  type ClusterStackOptions,
  type ControlPlane,
  findKubectl,
  hpaController,
  type Kubectl,
  prometheusProgram,
  startClusterStack,
  startControlPlane,
  workloadControllers,
} from "@plimsoll/testbed";
import { inject } from "vitest";

export const example = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../../examples/demo/${name}`, import.meta.url)), "utf8");

/** Rules that read gauges, which have the same value at every instant between two changes of the load. */
export const gaugeRules = fileURLToPath(new URL("../../testbed/gauge-rules.yaml", import.meta.url));

/** What a load is shows in the metrics APIs within half a second. */
export const quickPipeline = {
  scrapeIntervalMs: 250,
  adapterArgs: ["--metrics-relist-interval=1s", "--metrics-max-age=10s", "--metrics-result-max-age=0s"],
} as const;

/** kube-controller-manager with everything but the HPA controller. */
const workloadsOnly = [`--controllers=${workloadControllers.join(",")}`];

/** Times that both controllers are given. */
export const pace = [
  "--horizontal-pod-autoscaler-sync-period=1s",
  "--horizontal-pod-autoscaler-downscale-stabilization=4s",
  "--horizontal-pod-autoscaler-cpu-initialization-period=5s",
  "--horizontal-pod-autoscaler-initial-readiness-delay=1s",
];

/** Outside a pod the lease would be in kube-system, where the autoscaler has no rights. */
export const ownLease = "--leader-elect-resource-namespace=plimsoll";

/** Flags of a controller manager that is nothing but the built-in HPA controller. */
export const builtInHpa = (flags: readonly string[]) => [`--controllers=${hpaController}`, ...flags];

export interface TemporaryCluster {
  readonly stack: ClusterStack;
  readonly kubectl: Kubectl;
  /** What went wrong in the stand-ins for kubelets; for a test that fails. */
  readonly troubles: readonly unknown[];
  stop(): Promise<void>;
}

/** A manifest of what is deployed. */
export const shipped = (path: string) =>
  readFileSync(fileURLToPath(new URL(`../../../deploy/${path}`, import.meta.url)), "utf8");

/** Nothing but an etcd and a kube-apiserver; a third of the time of a cluster. */
export async function temporaryApiServer(): Promise<ControlPlane & { readonly kubectl: Kubectl }> {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-apiserver-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const plane = await startControlPlane({
      folder,
      binaries: inject("binaries"),
      controllerManager: false,
    });
    const stop = async () => {
      await plane.stop();
      remove();
    };
    return { ...plane, kubectl: realKubectl(plane.kubeconfig), stop };
  } catch (error) {
    remove();
    throw error;
  }
}

/** @throws where there is none. */
export function realKubectl(kubeconfig: string): Kubectl {
  const kubectl = findKubectl(kubeconfig);
  if (kubectl === undefined) throw new Error("the cluster tests need kubectl on the PATH");
  return kubectl;
}

/**
 * No trouble: of a kind that has had no event since it started, an API server sends no bookmarks, and the watch is
 * begun once more.
 */
function isSilentWatch(error: unknown): boolean {
  return error instanceof ConnectionError && error.message.includes(" was silent for ");
}

/** A cluster in a folder of its own, without an HPA controller yet. */
export async function temporaryCluster(
  options: Pick<ClusterStackOptions, "loads" | "workloads" | "withTimestamps" | "audit" | "podNetwork"> & {
    readonly rules?: string;
    /** Beside the usual ones. */
    readonly adapterArgs?: readonly string[];
  },
): Promise<TemporaryCluster> {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-cluster-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const troubles: unknown[] = [];
  try {
    const stack = await startClusterStack({
      rules: gaugeRules,
      ...options,
      folder,
      binaries: inject("binaries"),
      controllerManager: { args: workloadsOnly },
      prometheus: prometheusProgram(),
      ...quickPipeline,
      adapterArgs: [...quickPipeline.adapterArgs, ...(options.adapterArgs ?? [])],
      onError(error) {
        if (!isSilentWatch(error)) troubles.push(error);
      },
    });
    return {
      stack,
      kubectl: realKubectl(stack.kubeconfig),
      troubles,
      async stop() {
        await stack.stop();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}
