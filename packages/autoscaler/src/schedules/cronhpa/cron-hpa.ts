// The CronHorizontalPodAutoscaler resource as the API has it.
import {
  type CronHpaJob,
  type CronHpaSource,
  cronHpaLimits,
  groupOfApiVersion,
} from "@plimsoll/core/cronhpa";
import type { KubeObject } from "@plimsoll/kube";

/** The collection that CronHorizontalPodAutoscalers live in. */
export const cronHpaResource = {
  group: "autoscaling.alibabacloud.com",
  version: "v1beta1",
  resource: "cronhorizontalpodautoscalers",
} as const;

type CronHpaTargetRef = CronHpaSource["spec"]["scaleTargetRef"];

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
  readonly spec: CronHpaSource["spec"];
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

/**
 * Keeps what is needed of an object as the API server sent it; even its spec may be absent. What is over a limit is
 * cut where it is seen to be over it.
 */
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
      scaleTargetRef: { apiVersion: cut(apiVersion), kind: cut(kind), name: cut(targetName) },
      excludeDates: (spec?.excludeDates ?? []).slice(0, cronHpaLimits.excludeDates + 1).map(cut),
      jobs: (spec?.jobs ?? []).slice(0, cronHpaLimits.jobs + 1).map((job) => ({
        name: cut(job.name ?? ""),
        schedule: cut(job.schedule ?? ""),
        targetSize: job.targetSize ?? 0,
        runOnce: job.runOnce ?? false,
      })),
    },
    status: status ?? {},
  };
}

/** A copy: a slice would keep the whole text. */
function cut(text: string): string {
  if (text.length <= cronHpaLimits.text) return text;
  return Buffer.from(`${text.slice(0, cronHpaLimits.text)}…`, "utf16le").toString("utf16le");
}

/** "NAMESPACE/NAME". */
export function cronHpaKey({ metadata }: CronHpa): string {
  return `${metadata.namespace ?? "default"}/${metadata.name}`;
}

/** The same for all objects that name one target, in one namespace; versions do not distinguish targets. */
export function cronTargetKey({ metadata, spec }: CronHpa): string {
  const { apiVersion, kind, name } = spec.scaleTargetRef;
  const group = kind === hpaKind ? "autoscaling" : (groupOfApiVersion(apiVersion) ?? apiVersion);
  return `${metadata.namespace ?? "default"}/cronhpa:${group}|${kind}|${name}`;
}

export const hpaKind = "HorizontalPodAutoscaler";
