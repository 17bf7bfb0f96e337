import type { KubeObject } from "@plimsoll/kube";

/** The collection that CronHorizontalPodAutoscalers live in. */
export const cronHpaResource = {
  group: "autoscaling.alibabacloud.com",
  version: "v1beta1",
  resource: "cronhorizontalpodautoscalers",
} as const;

export const cronHpaKind = "CronHorizontalPodAutoscaler";

export interface CronHpaTargetRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

export interface CronHpaJob {
  readonly name: string;
  readonly schedule: string;
  readonly targetSize: number;
  readonly runOnce: boolean;
}

/** One job's state as stored; all but the message is required there. */
export interface CronHpaCondition extends CronHpaJob {
  readonly jobId: string;
  readonly state: "Submitted" | "Succeed" | "Failed";
  /** RFC 3339. */
  readonly lastProbeTime: string;
  readonly message?: string;
}

export interface CronHpaStatus {
  readonly scaleTargetRef?: CronHpaTargetRef;
  readonly excludeDates?: readonly string[];
  readonly conditions?: readonly CronHpaCondition[];
}

/** A CronHorizontalPodAutoscaler with every field that the schema lets be absent filled in. */
export interface CronHpa extends KubeObject {
  readonly spec: {
    readonly scaleTargetRef: CronHpaTargetRef;
    readonly excludeDates: readonly string[];
    readonly jobs: readonly CronHpaJob[];
  };
  readonly status: CronHpaStatus;
}

type WireJob = Partial<CronHpaJob>;

interface Wire {
  readonly spec?: {
    readonly scaleTargetRef?: Partial<CronHpaTargetRef>;
    readonly excludeDates?: readonly string[] | null;
    readonly jobs?: readonly WireJob[] | null;
  };
  readonly status?: CronHpaStatus;
}

/** Keeps what is needed of an object as the API server sent it; even its spec may be absent. */
export function projectCronHpa(raw: KubeObject): CronHpa {
  const { spec, status } = raw as KubeObject & Wire;
  const { name, namespace, uid, resourceVersion, annotations } = raw.metadata;
  const { apiVersion = "", kind = "", name: targetName = "" } = spec?.scaleTargetRef ?? {};
  return {
    metadata: {
      name,
      namespace: namespace ?? "default",
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec: {
      scaleTargetRef: { apiVersion, kind, name: targetName },
      excludeDates: spec?.excludeDates ?? [],
      jobs: (spec?.jobs ?? []).map((job) => ({
        name: job.name ?? "",
        schedule: job.schedule ?? "",
        targetSize: job.targetSize ?? 0,
        runOnce: job.runOnce ?? false,
      })),
    },
    status: status ?? {},
  };
}

/** "NAMESPACE/NAME". */
export function cronHpaKey({ metadata }: CronHpa): string {
  return `${metadata.namespace ?? "default"}/${metadata.name}`;
}

/** The same for all objects that name one target, in one namespace; versions do not tell targets apart. */
export function cronTargetKey({ metadata, spec }: CronHpa): string {
  const { apiVersion, kind, name } = spec.scaleTargetRef;
  const group = kind === hpaKind ? "autoscaling" : (groupOf(apiVersion) ?? apiVersion);
  return `${metadata.namespace ?? "default"}/cronhpa:${group}|${kind}|${name}`;
}

export const hpaKind = "HorizontalPodAutoscaler";

/** "" for the core group, whose versions have no slash; undefined when it is no apiVersion. */
export function groupOf(apiVersion: string): string | undefined {
  const parts = apiVersion.split("/");
  const [group = "", version] = parts;
  if (parts.length === 1) return /^v\d/.test(group) ? "" : undefined;
  return parts.length === 2 && group !== "" && version !== "" ? group : undefined;
}
