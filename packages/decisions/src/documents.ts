// The documents of the decision API and their addresses: of the autoscaler's endpoint and of `plimsoll console` alike.
import type {
  AppliedDecision,
  Decision,
  DecisionSummary,
  JsonFloat,
  OtherWriter,
  StatusComparison,
  SummaryState,
  Verdict,
} from "@plimsoll/core";
import type { Finding, SkippedRule } from "@plimsoll/doctor";

/*
 * The page is served below `/console/` as static files, and has no path of its own below that: its state is in the
 * query of the address. All data are read with GET from the same origin, relative to the page, as `../apis/…`, with
 * `Accept: application/json`. A failure is a metav1.Status: `{ kind: "Status", message, reason, code }`.
 *
 * Both servers serve the paths of `decisions` and `shadow`. Only `plimsoll console` serves those of `console`; where
 * the first of them is missing (404) the page takes it that it talks to the autoscaler: decisions, records, stream
 * and shadow, and findings from the records alone.
 */

/** Resources of the objects that are decided on. */
export type Resource = "horizontalpodautoscalers" | "workloadautoscalers";

/** An object, as its address names it. */
export interface ObjectKey {
  readonly resource: Resource;
  readonly namespace: string;
  readonly name: string;
}

/** Where a decision comes from: the autoscaler's own record, `decide` on live data, or the status in words. */
export type Source = "recorded" | "recomputed" | "status";

/** `sort` of the summary. */
export const summarySorts = ["name", "held", "ratio", "since"] as const;
export type SummarySort = (typeof summarySorts)[number];

export interface SummaryQuery {
  /** Undefined: all namespaces. */
  readonly namespace?: string | undefined;
  readonly sort?: SummarySort | undefined;
  /** Only objects that are worth a look. */
  readonly problem?: boolean | undefined;
  /** At most 10,000; 500 otherwise. */
  readonly limit?: number | undefined;
  /** Of the page before. */
  readonly continue?: string | undefined;
}

/** GET apis/decisions/v1/summary?namespace&sort&problem&limit&continue; with ETag and gzip. */
export interface SummaryPage {
  readonly items: readonly SummaryRow[];
  /** Sent with the next request; absent on the last page. */
  readonly continue?: string;
  /** Rows of all pages. */
  readonly total: number;
  /** Objects in each state, those included that a filter leaves out. */
  readonly counts: Readonly<Partial<Record<SummaryState, number>>>;
  /** Sent as Last-Event-ID, so that the stream begins where this page ends. */
  readonly lastEventId?: string;
  /** What could not be read, or is not shown, in sentences; of `plimsoll console` only. */
  readonly notes?: readonly string[];
}

/** The newest decision about one object. */
export interface SummaryRow extends ObjectKey, DecisionSummary {
  readonly uid: string;
  readonly target: { readonly kind: string; readonly name: string };
  /** "none": no autoscaler of ours has the object. */
  readonly mode: "active" | "shadow" | "paused" | "yielded" | "none";
  /** When it was decided, RFC 3339. */
  readonly at: string;
  /** Since when the same step holds the replicas, RFC 3339; null: not known. */
  readonly since: string | null;
  /** The bounds that counted, those of schedules included; absent: not known. */
  readonly min?: number;
  readonly max?: number;
  readonly metrics: readonly RowMetric[];
  /** How the controller that manages the object compares. */
  readonly verdict?: Verdict;
  /** Another client that keeps writing the status or the replicas. */
  readonly otherWriter?: OtherWriter;
  readonly note?: string;
  /** Absent: recorded. */
  readonly source?: Source;
}

/** What one metric said. */
export interface RowMetric {
  readonly name: string;
  /** Such as "34%", a total, or a quantity with "each". */
  readonly value: string | null;
  readonly target: string | null;
  /** Its quantities are bytes. */
  readonly isBytes?: true;
  readonly ratio: JsonFloat | null;
  readonly replicas?: number;
  /** Reason of the condition that the failed metric leads to. */
  readonly error?: string;
}

/**
 * GET apis/decisions/v1/stream?namespace, with Last-Event-ID: server-sent events, at most one batch a second.
 * `rows`: a JSON list of SummaryRow; `deleted`: a JSON list of DeletedRow; `reset`: the summary has to be read again.
 * The page reads it with fetch, because an EventSource sends no Authorization. 404 and 429: the page polls the summary.
 */
export interface DeletedRow extends ObjectKey {
  readonly uid: string;
}

/** GET apis/decisions/v1/namespaces/NS/RESOURCE/NAME?limit&before: decisions, oldest first. 404: none yet. 410: not kept. */
export interface DecisionList {
  readonly items: readonly LoggedDecision[];
}

/** One decision, and what became of it. */
export interface LoggedDecision extends ObjectKey {
  /** RFC 3339. */
  readonly at: string;
  readonly uid: string;
  readonly mode: string;
  readonly applied: AppliedDecision["outcome"];
  readonly decision: Decision;
  /** Pods and values that are not kept in the trace. */
  readonly leftOut?: number;
  /** In shadow because of it: the other controller, while it writes the status. */
  readonly yieldedTo?: string;
  /** Another client that writes the status or the replicas. */
  readonly otherWriter?: OtherWriter;
  /** What the controller that manages the object wrote last. */
  readonly builtIn?: { readonly desiredReplicas: number };
  readonly verdict?: Verdict;
  /** Absent: recorded. The fields below are of `plimsoll console` only. */
  readonly source?: Source;
  readonly comparison?: StatusComparison;
  /** What was assumed where it could not be read. */
  readonly assumptions?: readonly { readonly about: string; readonly value: string; readonly why: string }[];
  readonly notes?: readonly string[];
  /** What could not be read, in the API server's words. */
  readonly errors?: readonly string[];
}

/*
 * GET apis/decisions/v1/namespaces/NS/RESOURCE/NAME/record?before: the DecisionRecord v1 of the newest decision before
 * that instant, as `encodeRecord` of core writes it. 404: no inputs are kept, in the words of the server. 410: not kept.
 */

/** GET apis/shadow/v1 */
export interface ShadowSummary {
  readonly total: ShadowCounts & { readonly objects: number; readonly apart: number };
  readonly items: readonly ShadowItem[];
}

/** How decisions compare with those of the controller that manages the object. */
export interface ShadowCounts {
  readonly agreed: number;
  readonly differed: number;
  /** Not counted either way: both looked at different moments. */
  readonly unsettled: number;
  /** Share of the compared decisions that agreed; 1 while there are none. */
  readonly agreement: number;
  /** RFC 3339. */
  readonly since: string;
}

/** The comparison of one HPA. */
export interface ShadowItem extends ShadowCounts {
  readonly namespace: string;
  readonly name: string;
  readonly isApart: boolean;
  readonly lastDifference?: {
    readonly step: string;
    readonly at: string;
    readonly ours: string;
    readonly theirs: string;
  };
}

/**
 * GET apis/console/v1: what this server has. Of `plimsoll console` only. A part that is not available says why, in a
 * sentence that the page shows in its place.
 */
export interface ConsoleIndex {
  readonly schema: "plimsoll/console/v1";
  /** Version of the program. */
  readonly version: string;
  /** Context of the kubeconfig, for the heading; never a credential or an address with one. */
  readonly context?: string;
  readonly source: Source;
  /** How the decisions are read, or why they are recomputed, such as "port-forward to plimsoll-autoscaler-0". */
  readonly via: string;
  /** Of the decisions, in milliseconds: data older than two periods are shown as old. */
  readonly periodMs?: number;
  /** Namespaces that the user may list, for the choice; absent: not known, the page takes those of the rows. */
  readonly namespaces?: readonly string[];
  /** The namespace of the context, with which the page begins when it may not list all. */
  readonly namespace?: string;
  readonly parts: {
    readonly stream: Availability;
    readonly records: Availability;
    readonly shadow: Availability;
    readonly findings: Availability;
    readonly history: Availability;
  };
}

export type Availability = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/**
 * GET apis/console/v1/session, with the header `Plimsoll-Code: CODE`: takes the one-time code of the address's fragment
 * (`#code=CODE`) and sets the cookie; 204, or 401 when the code was used or is none. Without the cookie every path of
 * `apis` is 401 with `WWW-Authenticate: Plimsoll-Code`; the page says then that the console has to be opened again. Any
 * other 401 asks for a token, which is kept in memory and sent as a bearer token.
 */
export const codeHeader = "Plimsoll-Code";

/** GET apis/console/v1/findings?namespace, or of one object: …/findings/namespaces/NS/RESOURCE/NAME */
export interface FindingsPage {
  /** When it was looked, RFC 3339. */
  readonly at: string;
  readonly findings: readonly Finding[];
  readonly skipped: readonly SkippedRule[];
  readonly checked: { readonly objects: number; readonly rules: number };
  /** What was not looked at, in sentences. */
  readonly notes?: readonly string[];
}

/** GET apis/console/v1/history/namespaces/NS/RESOURCE/NAME?from&to (RFC 3339): what Prometheus has of an object. */
export interface HistoryPage {
  /** Seconds since 1970, rising: the instants of all series. */
  readonly times: readonly number[];
  readonly series: readonly HistorySeries[];
  readonly notes: readonly string[];
}

/** One line; null: no value at that instant. */
export interface HistorySeries {
  /** "metric" and "target" are those of one metric, by its position in spec.metrics. */
  readonly kind: "current" | "desired" | "min" | "max" | "metric" | "target";
  readonly metric?: number;
  /** Such as "cpu, % of requests". */
  readonly name: string;
  readonly values: readonly (number | null)[];
}

const decisions = "apis/decisions/v1";
const console = "apis/console/v1";

/** The addresses, relative to the root of the server. */
export const paths = {
  index: console,
  session: `${console}/session`,
  shadow: "apis/shadow/v1",
  summary: (query: SummaryQuery) => `${decisions}/summary${search({ ...query })}`,
  stream: (namespace: string | undefined) => `${decisions}/stream${search({ namespace })}`,
  decisions: (key: ObjectKey, query: { readonly limit?: number; readonly before?: string } = {}) =>
    `${decisions}/${objectPath(key)}${search(query)}`,
  record: (key: ObjectKey, query: { readonly before?: string } = {}) =>
    `${decisions}/${objectPath(key)}/record${search(query)}`,
  findings: (namespace: string | undefined) => `${console}/findings${search({ namespace })}`,
  findingsOf: (key: ObjectKey) => `${console}/findings/${objectPath(key)}`,
  history: (key: ObjectKey, span: { readonly from: string; readonly to: string }) =>
    `${console}/history/${objectPath(key)}${search(span)}`,
};

function objectPath({ namespace, resource, name }: ObjectKey): string {
  return `namespaces/${encodeURIComponent(namespace)}/${resource}/${encodeURIComponent(name)}`;
}

function search(values: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(values))
    if (value !== undefined && value !== "" && value !== false) parameters.set(name, String(value));
  const text = parameters.toString();
  return text === "" ? "" : `?${text}`;
}
