// The autoscaler of the demo, which evaluates each second and shows its decisions as an installation does, and the one
// that plays the built-in controller.
import {
  type ChildOptions,
  type PlimsollProcess,
  plimsollCommand,
  type SandboxCluster,
  startPlimsoll,
  startServedAutoscaler,
} from "@plimsoll/testbed";
import type { DemoOptions } from "./options.ts";

export interface DemoAutoscaler extends Pick<DemoOptions, "speed"> {
  /** For its certificate. */
  readonly folder: string;
  /** Further flags of the autoscaler. */
  readonly args?: readonly string[];
  readonly onSpawn?: ChildOptions["onSpawn"];
}

/** The same for `plimsoll backtest`. */
export function demoSettings(speed: DemoOptions["speed"]): readonly string[] {
  return [
    "--sync-period=1s",
    `--downscale-stabilization=${stabilization(speed)}`,
    "--cpu-initialization-period=0s",
    "--initial-readiness-delay=1s",
  ];
}

function stabilization(speed: DemoOptions["speed"]): string {
  return speed === "fast" ? "4s" : "12s";
}

export function startDemoAutoscaler(
  stack: Pick<SandboxCluster, "client" | "mapper" | "kubeconfigFor">,
  { folder, speed, args: more = [], onSpawn }: DemoAutoscaler,
): Promise<PlimsollProcess> {
  const args = [
    "--manage-hpas=annotated",
    ...decisionFlags(speed),
    // Two minutes, for the charts of the page.
    "--decision-history=120",
    "--insecure-decisions",
    ...more,
  ];
  return startServedAutoscaler(stack, folder, args, { ...plimsollCommand("autoscaler"), onSpawn });
}

/** The same program in the place of kube-controller-manager: it manages the HPAs of one namespace. */
export function startOtherController(
  stack: Pick<SandboxCluster, "kubeconfigFor">,
  { speed, onSpawn }: Pick<DemoAutoscaler, "speed" | "onSpawn">,
): Promise<PlimsollProcess> {
  const args = [
    `--kubeconfig=${stack.kubeconfigFor("other-controller")}`,
    "--namespace=pay",
    "--manage-hpas=all",
    "--leader-elect=false",
    "--bind-address=127.0.0.1",
    "--port=0",
    ...decisionFlags(speed),
  ];
  return startPlimsoll("autoscaler", args, { ...plimsollCommand("autoscaler"), onSpawn });
}

function decisionFlags(speed: DemoOptions["speed"]): readonly string[] {
  return [
    "--horizontal-pod-autoscaler-sync-period=1s",
    `--horizontal-pod-autoscaler-downscale-stabilization=${stabilization(speed)}`,
    "--horizontal-pod-autoscaler-cpu-initialization-period=0s",
    "--horizontal-pod-autoscaler-initial-readiness-delay=1s",
  ];
}
