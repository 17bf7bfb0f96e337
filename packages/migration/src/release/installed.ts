// What of Plimsoll is in a cluster, as values.
import { boundsAnnotation } from "@plimsoll/core/internal/objects";
import type { KubeObject } from "@plimsoll/kube";
import type { ServedObject } from "@plimsoll/observe";

/** Everything that a plan is made of. */
export interface Installed {
  /** Of 1.x; undefined: not known. */
  readonly minor: number | undefined;
  readonly hpas: readonly ServedObject[];
  readonly wlas: readonly ServedObject[];
  readonly cronHpas: readonly CronHpa[];
  readonly metricRules: readonly KubeObject[];
  readonly programs: readonly Program[];
  /** Deployments with our labels that are targets, such as "shop/api". */
  readonly workloads: readonly string[];
  /** Services of the programs. */
  readonly services: readonly ServiceName[];
  readonly apiServices: readonly ApiService[];
  /** What serves the metrics APIs instead of the adapter. */
  readonly successor: Successor | undefined;
  /** Names of our CustomResourceDefinitions. */
  readonly crds: readonly string[];
  /** By namespace, group, kind and name: `scaleKey`. */
  readonly scales: ReadonlyMap<string, TargetScale>;
}

export interface TargetScale {
  readonly replicas: number;
  /** For kubectl, such as "deployments.apps/shop". */
  readonly typed: string;
}

export interface CronHpa extends KubeObject {
  readonly spec?: {
    readonly scaleTargetRef?: {
      readonly apiVersion?: string;
      readonly kind?: string;
      readonly name?: string;
    };
  };
}

/** A Deployment of ours. */
export interface Program {
  readonly component: "autoscaler" | "metrics-adapter";
  readonly namespace: string;
  readonly name: string;
  readonly replicas: number;
  /** Of its pods, such as "app=x,part=y". */
  readonly selector: string;
  readonly args: readonly string[];
  /** Of Helm; undefined: it was applied otherwise. */
  readonly release: string | undefined;
}

export interface ServiceName {
  readonly component: Program["component"];
  readonly namespace: string;
  readonly name: string;
}

export interface Successor {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
  readonly release: string | undefined;
}

export interface ApiService extends KubeObject {
  readonly spec: {
    readonly group?: string;
    readonly version?: string;
    readonly service?: { readonly namespace: string; readonly name: string; readonly port?: number };
    readonly caBundle?: string;
    readonly insecureSkipTLSVerify?: boolean;
  };
}

/** One target: kinds of two groups may have one name. */
export function scaleKey(
  namespace: string,
  target: { readonly apiVersion?: string | undefined; readonly kind: string; readonly name: string },
): string {
  return `${namespace}/${groupOf(target)}/${target.kind}/${target.name}`;
}

export function groupOf({ apiVersion = "" }: { readonly apiVersion?: string | undefined }): string {
  return apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
}

export function namespaceOf({ metadata }: KubeObject): string {
  return metadata.namespace ?? "default";
}

/** What an autoscaler does with HPAs: the strongest of all that are installed. */
export function managedMode({ programs }: Installed): "none" | "annotated" | "all" {
  const flag = "--manage-hpas";
  const modes = programs.flatMap(({ args }) =>
    args.flatMap((arg, index) => {
      if (arg === flag) return args[index + 1] ?? [];
      return arg.startsWith(`${flag}=`) ? arg.slice(flag.length + 1) : [];
    }),
  );
  return modes.includes("all") ? "all" : modes.includes("annotated") ? "annotated" : "none";
}

/** Whether an autoscaler runs the jobs of CronHorizontalPodAutoscalers. */
export function runsJobs({ programs }: Installed): boolean {
  return programs.some(({ args }) => args.some((arg) => /^--cron-hpa(?:=true)?$/.test(arg)));
}

export function finalizersOf({ metadata }: KubeObject): readonly string[] {
  const { finalizers } = metadata as { readonly finalizers?: unknown };
  return Array.isArray(finalizers) ? (finalizers as readonly string[]) : [];
}

export function hasFinalizer(object: KubeObject): boolean {
  return finalizersOf(object).includes(boundsAnnotation);
}

export function annotationOf({ metadata }: KubeObject, name: string): string | undefined {
  return metadata.annotations?.[name];
}
