// Where the decisions come from that commands show: recorded by the autoscaler, recomputed, or out of a status.
import type {
  Decision,
  DecisionRecord,
  DecisionSummary,
  HorizontalPodAutoscaler,
  StatusComparison,
} from "@plimsoll/core";
import type { Finding } from "@plimsoll/doctor";
import type { KubeObject } from "@plimsoll/kube";
import type { Assumption, HistoryBound, ObjectEvent, Recomputed } from "@plimsoll/observe";

/** An object that scales a target, as commands name it. */
export interface ObjectIdentity {
  readonly resource: "horizontalpodautoscalers" | "workloadautoscalers";
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly target: { readonly kind: string; readonly name: string };
}

/** One decision, and how it is known. */
export interface Explained {
  readonly source: "recorded" | "recomputed" | "status";
  /** When it was decided, RFC 3339. */
  readonly at: string;
  readonly object: ObjectIdentity;
  /** Such as "shadow" or "active"; absent: no autoscaler of ours has the object. */
  readonly mode?: string;
  /** Absent: only the status of the object is known. */
  readonly decision?: Decision;
  readonly record?: DecisionRecord;
  /** The decision before. */
  readonly previous?: Decision;
  readonly previousRecord?: DecisionRecord;
  readonly assumptions: readonly Assumption[];
  /** With the status that another controller wrote. */
  readonly comparison?: StatusComparison;
  readonly notes: readonly string[];
  /** What could not be read, in the API server's words. */
  readonly errors?: readonly string[];
  /** How much the result depends on what is not known of the past; absent: the past is known. */
  readonly history?: HistoryBound;
  /** The replicas under each assumption about the past. */
  readonly desiredByHistory?: Recomputed["desired"];
  /** The object as the API server has it, where it was read. */
  readonly served?: ServedObject;
  /** Its events, oldest first, where there is no decision. */
  readonly events?: readonly ObjectEvent[];
  /** What the rules of the doctor find in the decision; absent: they were not asked. */
  readonly findings?: readonly Finding[];
}

/** An object of the API with what commands read of it. */
export type ServedObject = KubeObject & Pick<HorizontalPodAutoscaler, "spec" | "status">;

/** Reads the decisions of one object, or summaries of many. */
export interface DecisionSource {
  /** What the first line says: "recorded" by the autoscaler, or "recomputed". */
  readonly kind: "recorded" | "recomputed";
  newest(object: ObjectIdentity): Promise<Explained>;
  /** The last one before an instant. @throws CliError where none is kept. */
  at(object: ObjectIdentity, atMs: number): Promise<Explained>;
  /** So many decisions before the newest. @throws CliError where none is kept. */
  back(object: ObjectIdentity, count: number): Promise<Explained>;
  /** The newest so many that are kept, oldest first, without their records; absent: none are kept. @throws CliError */
  last?(object: ObjectIdentity, count: number): Promise<readonly Explained[]>;
  list(query: SummaryQuery): Promise<SummaryList>;
}

/** Which objects to summarize. */
export interface SummaryQuery {
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  readonly isProblem?: boolean;
  readonly limit?: number;
}

export interface SummaryList {
  readonly items: readonly SummaryRow[];
  readonly total: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly notes: readonly string[];
}

/** One object in short. */
export interface SummaryRow extends DecisionSummary {
  readonly resource: ObjectIdentity["resource"];
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly target: ObjectIdentity["target"];
  readonly mode: string;
  readonly at: string;
  /** Since when it is in this state. */
  readonly since: string | null;
  readonly metrics: readonly SummaryMetric[];
  /** Absent: recorded. */
  readonly source?: Explained["source"];
  readonly minReplicas?: number;
  readonly maxReplicas?: number;
  readonly verdict?: StatusComparison["verdict"];
  readonly note?: string;
}

export interface SummaryMetric {
  readonly name: string;
  readonly value?: string;
  readonly target?: string;
  readonly ratio?: number;
  readonly replicas?: number;
  readonly error?: string;
}
