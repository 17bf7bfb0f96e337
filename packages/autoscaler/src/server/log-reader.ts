// Reads the decisions of this process, for callers who may see some resources.
import { encodeRecord } from "@plimsoll/core";
import type {
  DecisionList,
  DecisionReader,
  DecisionsQuery,
  LoggedDecision,
  ObjectKey,
  Resource,
  ShadowSummary,
  StreamQuery,
} from "@plimsoll/decisions";
import { pageOf, RequestError, rowsOf } from "@plimsoll/decisions/serve";
import type { DecisionStore } from "../decisions/decision-log.ts";
import { decisionResources, groupOf } from "./required-access.ts";
import type { RowStreams } from "./row-streams.ts";

export interface ReadLog {
  readonly decisions: Pick<DecisionStore, "of" | "latest" | "records" | "rows">;
  readonly changes: RowStreams;
  /** Whether inputs are kept, so that there are records. */
  readonly hasInputs: boolean;
  readonly shadow: () => ShadowSummary;
}

export interface LogReader extends DecisionReader {
  /** The newest decision about each object. */
  latest(): Promise<DecisionList>;
  subscribe(query: StreamQuery): Promise<AsyncIterable<string>>;
}

export function createLogReader(
  { decisions, changes, hasInputs, shadow }: ReadLog,
  resources: ReadonlySet<Resource> = new Set(decisionResources),
): LogReader {
  return {
    rows: async (query) => ({
      ...pageOf(rowsOf(decisions.rows.all(), resources), query),
      lastEventId: changes.lastEventId(),
    }),
    latest: async () => ({ items: decisions.latest().filter(({ resource }) => resources.has(resource)) }),
    async decisions(object, { limit = 10_000, before }) {
      const all = decisionsOf(object);
      const items = all.filter(({ at }) => Date.parse(at) < msOf(before)).slice(-limit);
      if (items.length === 0) throw tooOld(all);
      return { items };
    },
    async record(object, { before }) {
      const all = decisionsOf(object);
      const records = decisions.records(object.namespace, object.name, object.resource);
      const record = records.findLast(({ input }) => input.nowMs < msOf(before));
      if (record !== undefined) return encodeRecord(record);
      if (records.length > 0) throw tooOld(all);
      throw RequestError.notFound(
        hasInputs
          ? "the inputs of this decision were too large to keep"
          : "inputs aren't kept: --decision-inputs is none",
      );
    },
    shadow: async () => shadow(),
    subscribe: async (query) => changes.subscribe({ ...query, resources }),
  };

  function decisionsOf({ namespace, name, resource }: ObjectKey): readonly LoggedDecision[] {
    const all = decisions.of(namespace, name, resource);
    if (all.length > 0) return all;
    throw RequestError.notFound(
      `${resource}.${groupOf(resource) ?? ""} "${name}" in namespace "${namespace}" does not exist, or has no decision yet`,
    );
  }
}

function msOf(before: DecisionsQuery["before"]): number {
  return before === undefined ? Number.POSITIVE_INFINITY : Date.parse(before);
}

function tooOld(all: readonly LoggedDecision[]): RequestError {
  const message = `${all.length} decisions are kept (--decision-history), the oldest of ${all[0]?.at ?? ""}`;
  return new RequestError({ code: 410, reason: "Expired", message });
}
