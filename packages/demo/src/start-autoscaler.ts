// The autoscaler of the demo: it manages all, evaluates each second, and shows its decisions as an installation does.
import {
  type ChildOptions,
  type PlimsollProcess,
  plimsollCommand,
  type Stack,
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
  stack: Pick<Stack, "client" | "mapper" | "kubeconfigFor">,
  { folder, speed, args: more = [], onSpawn }: DemoAutoscaler,
): Promise<PlimsollProcess> {
  const args = [
    "--manage-hpas=all",
    "--horizontal-pod-autoscaler-sync-period=1s",
    `--horizontal-pod-autoscaler-downscale-stabilization=${stabilization(speed)}`,
    "--horizontal-pod-autoscaler-cpu-initialization-period=0s",
    "--horizontal-pod-autoscaler-initial-readiness-delay=1s",
    "--insecure-decisions",
    ...more,
  ];
  return startServedAutoscaler(stack, folder, args, { ...plimsollCommand("autoscaler"), onSpawn });
}
