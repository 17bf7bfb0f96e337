// Four surfaces say of the same decisions which are problems, in which state, and in which order.
import { otherWriterNote, summarize, summaryState } from "@plimsoll/core";
import {
  type ObjectKey,
  problemOf,
  rowOf as rowOfDecision,
  type SummaryPage,
  type SummaryRow,
  type SummarySort,
} from "@plimsoll/decisions";
import { pageOf, readSummaryQuery } from "@plimsoll/decisions/serve";
import type { KubeClient } from "@plimsoll/kube";
import { expect, test } from "vitest";
import type { Cluster } from "../../src/cluster/cluster.ts";
import { recomputedData } from "../../src/commands/console/data/recomputed.ts";
import { recordedData } from "../../src/commands/console/data/recorded.ts";
import { statusText } from "../../src/commands/explain/status-text.ts";
import { explanationText } from "../../src/commands/explain/text.ts";
import { gatherStatus } from "../../src/commands/status/gather.ts";
import { createEndpointSource } from "../../src/decisions/endpoint-source.ts";
import type { RecomputingSource } from "../../src/decisions/recomputing-source.ts";
import { rowOf } from "../../src/decisions/summary-row.ts";
import { endpointOf } from "../../src/endpoint/endpoint.ts";
import { plainStyle } from "../../src/output/style.ts";
import { fakeCluster, nowMs } from "../cluster/fake-cluster.ts";
import { type Situation, situations } from "./situations.ts";

const clock = { nowMs: () => nowMs, after: () => () => undefined };
const recorded = situations.filter(({ explained }) => explained.source !== "status");
const recomputable = situations.filter(({ isRecordedOnly }) => !isRecordedOnly);

function clusterOf(shown: readonly Situation[]): Cluster {
  const fake = fakeCluster();
  for (const { explained } of shown) if (explained.served !== undefined) fake.put(explained.served);
  const { client } = fake.connection(clock);
  return { client, note: () => undefined, notes: [], errorText: String } as object as Cluster;
}

const byUid = new Map(situations.map(({ explained }) => [explained.object.uid, explained]));
const recomputing = {
  explainAll: (objects: readonly { readonly identity: { readonly uid: string } }[]) =>
    Promise.resolve(objects.flatMap(({ identity }) => byUid.get(identity.uid) ?? [])),
} as object as RecomputingSource;

/** As the autoscaler serves them. */
const rows: readonly SummaryRow[] = recorded.flatMap(({ explained }) => {
  const { decision, record, object, mode = "shadow", at, otherWriter, comparison } = explained;
  if (decision === undefined) return [];
  const logged = { ...object, at, decision, otherWriter, verdict: comparison?.verdict };
  const known = { target: object.target, mode, since: at, summary: summarize(decision) };
  return [rowOfDecision(logged, { ...known, spec: record?.input.hpa.spec })];
});

function served(parameters: URLSearchParams): SummaryPage {
  return JSON.parse(JSON.stringify(pageOf(rows, readSummaryQuery(parameters)))) as SummaryPage;
}

const client = {
  request: ({
    query,
  }: {
    readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  }) => {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query ?? {}))
      if (value !== undefined) parameters.set(name, String(value));
    return Promise.resolve(served(parameters));
  },
} as object as KubeClient;
const endpoint = endpointOf({
  name: "server",
  client,
  base: "",
  shadowPath: "",
  close: async () => undefined,
});

interface Asked {
  readonly isProblem: boolean;
  readonly sort: SummarySort;
}

type Surface = (asked: Asked) => Promise<readonly SummaryRow[]>;

function status(shown: readonly Situation[], hasEndpoint: boolean): Surface {
  const cluster = clusterOf(shown);
  const source = hasEndpoint ? createEndpointSource({ endpoint, cluster, recomputing }) : undefined;
  return async ({ isProblem, sort }) => {
    const flags = { output: "table", sortBy: sort, limit: "200" } as never;
    const query = { isProblem, sortBy: sort, sinceMs: undefined, limit: 200 };
    const decisions = { recomputing, recorded: source };
    return (await gatherStatus([], { cluster, decisions, query, flags, nowMs })).rows;
  };
}

function page(hasEndpoint: boolean): Surface {
  const again = recomputedData({ cluster: clusterOf(recomputable), clock, recomputing });
  const data = hasEndpoint ? recordedData(endpoint, again) : again;
  return async ({ isProblem, sort }) => (await data.rows({ sort, limit: 1000, problem: isProblem })).items;
}

const surfaces: readonly (readonly [name: string, shown: readonly Situation[], surface: Surface])[] = [
  [
    "the endpoint",
    recorded,
    async ({ isProblem, sort }) =>
      served(new URLSearchParams({ sort, limit: "1000", problem: String(isProblem) })).items,
  ],
  ["status, with the endpoint", situations, status(situations, true)],
  ["status, without it", recomputable, status(recomputable, false)],
  ["console, with the endpoint", recorded, page(true)],
  ["console, without it", recomputable, page(false)],
];
const names = (list: readonly Pick<ObjectKey, "name">[]) => list.map(({ name }) => name);

test("forty situations", () => expect(situations).toHaveLength(40));

test.each(surfaces)("%s: which are problems", async (_, shown, surface) => {
  expect(names(await surface({ isProblem: true, sort: "name" }))).toEqual(
    names(shown.filter(({ isProblem }) => isProblem)),
  );
});

test("explain names the problem of those once, and of no other", () => {
  const options = { style: plainStyle, hasHeadings: true, detail: "short", nowMs } as const;
  const named = situations.filter(({ explained }) => {
    const { decision } = explained;
    const text =
      decision === undefined
        ? statusText(explained, options)
        : explanationText({ ...explained, decision }, options);
    const row = rowOf(explained);
    const [sentence = ""] = text.split("\n");
    const said = row.otherWriter === undefined ? problemOf(row) : otherWriterNote(row.otherWriter);
    const hasError = summaryState(row) === "failed" && sentence.includes(": ");
    const inSentence = hasError || (said !== undefined && sentence.includes(said));
    const below = /^Problem: /m.test(text);
    expect(inSentence && below).toBe(false);
    return inSentence || below;
  });
  expect(names(named)).toEqual(names(situations.filter(({ isProblem }) => isProblem)));
});

test.each(surfaces)("%s: what holds each, and its order", async (_, __, surface) => {
  const inOrder = (await surface({ isProblem: false, sort: "held" })).filter(
    ({ source }) => source !== "status",
  );
  const shown = new Set(names(inOrder));
  const all = served(new URLSearchParams({ sort: "held", limit: "1000" })).items;
  expect(inOrder.map(saidOf)).toEqual(all.filter(({ name }) => shown.has(name)).map(saidOf));
});

/** What does not depend on who decided, and since when that is known. */
function saidOf(row: SummaryRow) {
  const metrics = row.metrics.map((metric) => ({ ...metric, error: metric.error?.split(":")[0] }));
  return { ...row, metrics, mode: "", at: "", since: "", source: "" };
}

test("with problem=true the total is that of the problems, and the counts are those of all", () => {
  const [all, problems] = ["false", "true"].map((problem) => served(new URLSearchParams({ problem })));
  expect(problems?.total).toBe(recorded.filter(({ isProblem }) => isProblem).length);
  expect(problems?.counts).toEqual(all?.counts);
});
