// Reads a file of tests of rules, and reports everything that is wrong in it with its line.
import { parseGoDuration } from "@plimsoll/core/duration";
import { parseQuantity, QuantityError } from "@plimsoll/core/quantity";
import { parseSelector, SelectorError } from "@plimsoll/core/selector";
import type { WrittenSeries, WrittenValue } from "@plimsoll/prometheus/server";
import {
  type MetricRequest,
  matchersOf,
  openDocument,
  type Place,
  type Problem,
  type RulesDocument,
} from "@plimsoll/rules";
import { readSeries, readValues } from "./series.ts";

/** A file of tests. */
export interface TestFile {
  /** The rules file, relative to this one. */
  readonly rules: string;
  readonly tests: readonly RulesTest[];
}

/** One test: series, a time, a request, and what is expected of it. */
export interface RulesTest {
  /** "tests[0]", or as the file names it. */
  readonly name: string;
  readonly intervalMs: number;
  readonly series: readonly TestSeries[];
  /** Behind the first value. */
  readonly atMs: number;
  readonly get: string;
  readonly request: MetricRequest;
  readonly expected: Expected;
}

export interface TestSeries {
  readonly labels: WrittenSeries["labels"];
  readonly values: readonly (WrittenValue | undefined)[];
}

/** Items, each with its labels and its value; or a part of the message of an error. */
export type Expected = readonly ExpectedItem[] | { readonly error: string };

export type ExpectedItem = Readonly<Record<string, string>>;

/** The tests of a text, or everything that is wrong with it. */
export function readTestFile(text: string): TestFile | readonly Problem[] {
  const document = openDocument(text);
  if (document.problems.length > 0) return document.problems;
  const fields = document.fields(document.root, ["rules", "interval", "tests"]);
  const rules = document.text(fields.rules);
  if (rules === "") document.problem(document.root, "there is no rules: name the rules file");
  const intervalMs = readDuration(document, fields.interval, 60_000);
  const tests = document.items(fields.tests).map((place) => readTest(document, place, intervalMs));
  if (tests.length === 0 && document.problems.length === 0)
    document.problem(document.root, "there are no tests");
  return document.problems.length > 0 ? document.problems : { rules, tests };
}

function readTest(document: RulesDocument, place: Place, fileIntervalMs: number): RulesTest {
  const fields = document.fields(place, ["name", "interval", "series", "at", "get", "expect", "error"]);
  const intervalMs = readDuration(document, fields.interval, fileIntervalMs);
  const series = document.items(fields.series).map((item) => readTestSeries(document, item));
  const longest = Math.max(1, ...series.map(({ values }) => values.length));
  const get = document.text(fields.get);
  const path = readPath(get);
  if (!path.ok) document.problem(document.isAbsent(fields.get) ? place : fields.get, `get: ${path.message}`);
  return {
    name: document.text(fields.name) || place.path,
    intervalMs,
    series,
    atMs: readDuration(document, fields.at, (longest - 1) * intervalMs),
    get,
    request: path.ok ? path.request : nothing,
    expected: readExpected(document, fields.expect, fields.error, place),
  };
}

const nothing: MetricRequest = {
  metric: "",
  namespace: undefined,
  resource: undefined,
  name: "*",
  selector: [],
};

function readTestSeries(document: RulesDocument, place: Place): TestSeries {
  const fields = document.fields(place, ["series", "values"]);
  const labels = readSeries(document.text(fields.series));
  if (typeof labels === "string") document.problem(at(document, fields.series, place), `series: ${labels}`);
  const values = readValues(document.text(fields.values));
  if (typeof values === "string") document.problem(at(document, fields.values, place), `values: ${values}`);
  return {
    labels: typeof labels === "string" ? {} : labels,
    values: typeof values === "string" ? [] : values,
  };
}

function readDuration(document: RulesDocument, place: Place, absent: number): number {
  if (document.isAbsent(place)) return absent;
  const durationMs = parseGoDuration(document.text(place));
  if (durationMs !== undefined && durationMs >= 0) return durationMs;
  document.problem(
    place,
    `${JSON.stringify(document.text(place))} is not a duration: use a value such as 5m`,
  );
  return absent;
}

function readExpected(document: RulesDocument, expect: Place, error: Place, test: Place): Expected {
  const [hasItems, hasError] = [!document.isAbsent(expect), !document.isAbsent(error)];
  if (hasItems === hasError) {
    const what = hasItems ? "both expect and error" : "neither expect nor error";
    document.problem(
      test,
      `there is ${what}: list the values, such as {pod: a, value: "1"}, or a part of the message`,
    );
  }
  if (hasError) return { error: document.text(error) };
  return document.items(expect).map((item) => readItem(document, item));
}

function readItem(document: RulesDocument, place: Place): ExpectedItem {
  const entries = document.entries(place).map(([key, value]) => [key, document.text(value)] as const);
  const item = Object.fromEntries(entries);
  const problem = quantityProblem(item["value"]);
  if (problem !== undefined) document.problem(place, problem);
  return item;
}

function quantityProblem(text: string | undefined): string | undefined {
  if (text === undefined) return 'there is no value: use a value such as value: "1500m"';
  try {
    parseQuantity(text);
    return undefined;
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
    return `value: ${error.message}`;
  }
}

function at(document: RulesDocument, place: Place, owner: Place): Place {
  return document.isAbsent(place) ? owner : place;
}

/** The request of a path, or why it is none. */
type ReadPath =
  | { readonly ok: true; readonly request: MetricRequest }
  | { readonly ok: false; readonly message: string };

const forms =
  "write namespaces/NAMESPACE/pods/NAME/METRIC, with * for all, nodes/NAME/METRIC, namespaces/NAMESPACE/metrics/METRIC, " +
  "or namespaces/NAMESPACE/METRIC for an external metric";

/** As in `kubectl get --raw`, with or without `/apis/custom.metrics.k8s.io/v1beta2/` in front. */
function readPath(text: string): ReadPath {
  const [path = "", query = ""] = text.trim().split("?", 2);
  const segments = path.replace(/^\/?apis\/(?:custom|external)\.metrics\.k8s\.io\/v\w+\//, "").split("/");
  const target = targetOf(segments.filter((segment) => segment !== ""));
  if (target === undefined) return { ok: false, message: forms };
  const selector = selectorOf(query, target.resource === undefined ? "labelSelector" : "metricLabelSelector");
  return typeof selector === "string"
    ? { ok: false, message: selector }
    : { ok: true, request: { ...target, selector } };
}

type Target = Omit<MetricRequest, "selector">;

function targetOf(segments: readonly string[]): Target | undefined {
  const [first = "", namespace = "", resource = "", name = "", metric = ""] = segments;
  const inNamespace = first === "namespaces";
  if (inNamespace && segments.length === 5) return { namespace, resource, name, metric };
  if (inNamespace && segments.length === 4 && resource === "metrics")
    return { namespace: undefined, resource: "namespaces", name: namespace, metric: name };
  if (segments.length !== 3) return undefined;
  return inNamespace
    ? { namespace, resource: undefined, name: "*", metric: resource }
    : { namespace: undefined, resource: first, name: namespace, metric: resource };
}

/** The matchers of the one parameter that there is, or why there are none. */
function selectorOf(query: string, allowed: string): MetricRequest["selector"] | string {
  const parameters = new URLSearchParams(query);
  const other = [...parameters.keys()].find((key) => key !== allowed);
  if (other !== undefined) return `the parameter ${other} is not taken here, only ${allowed}`;
  try {
    const matchers = matchersOf(parseSelector(parameters.get(allowed) ?? ""));
    return matchers.ok ? matchers.matchers : matchers.message;
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    return `${allowed}: ${error.message}`;
  }
}
