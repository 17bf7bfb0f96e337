// What the metrics APIs serve for a request: as the adapter does, without its server and its caches.
import type { InstantResult } from "@plimsoll/prometheus";
import type { RegistrySnapshot } from "../discovery/snapshot.ts";
import { describeLabels, describeSamples, labelProblem } from "../query/match.ts";
import { quantityOf } from "../query/value.ts";
import { type EntryResult, evaluateEntry, type ServeContext } from "./evaluate-entry.ts";
import type { MetricRequest, Served } from "./request.ts";

/** Serves a request out of the metrics of a snapshot. Rejects on the signal only. */
export async function serveMetric(
  snapshot: RegistrySnapshot,
  request: MetricRequest,
  context: ServeContext,
): Promise<Served> {
  const { resource, metric, namespace } = request;
  if (resource === undefined) {
    const entry = snapshot.external(metric);
    if (entry === undefined) return notFound(`the server could not find the metric ${metric} for `);
    return externalValues(metric, await evaluateEntry(entry, request, context));
  }
  const entry = snapshot.custom(resource, metric);
  if (entry === undefined || entry.info.namespaced !== (namespace !== undefined))
    return notFound(`the server could not find the metric ${metric} for ${resource}`);
  const evaluated = await evaluateEntry(entry, request, context);
  if (evaluated.ok && evaluated.result.type === "vector") {
    const problem = labelProblem(evaluated.result.samples, entry.resourceLabel, entry.rule.metricsQuery);
    const what = request.name === "*" ? resource : `${resource} ${request.name}`;
    if (problem !== undefined)
      return notFound(`the server could not find the metric ${metric} for ${what}: ${problem}`);
  }
  return customValues(request, evaluated);
}

/** The values of objects in a result. */
export function customValues({ resource, metric, name }: MetricRequest, evaluated: EntryResult): Served {
  const unknown = `the server could not find the metric ${metric} for ${resource ?? ""}`;
  if (!evaluated.ok) return refused(evaluated, `${unknown}: ${evaluated.message}`, 404);
  const { matched, names = [], result } = evaluated;
  if (matched === undefined) {
    return internal(
      `unable to fetch metrics: the query returned a ${result.type} instead of one value per object`,
    );
  }
  const items = names.flatMap((own) => {
    const sample = matched.byName.get(own);
    const value = sample === undefined ? undefined : quantityOf(sample.value);
    return value === undefined ? [] : [{ name: own, value }];
  });
  const [double] = matched.doubled;
  if (double !== undefined && items.length === 0) {
    const cause = `several series for ${resource ?? ""} ${double.name}: ${describeSamples(double.samples.slice(0, 2))}`;
    return internal(`unable to fetch metrics: the query returned ${cause}`);
  }
  if (name === "*" || items.length > 0) return { ok: true, status: 200, items };
  const sample = matched.byName.get(name);
  const cause = sample === undefined ? "it has no series" : `its value is ${String(sample.value)}`;
  return notFound(`${unknown} ${name}: ${cause}`);
}

/** All values of an external metric in a result. */
export function externalValues(metric: string, evaluated: EntryResult): Served {
  if (!evaluated.ok) return refused(evaluated, `unable to fetch metrics: ${evaluated.message}`, 500);
  const { result } = evaluated;
  const values = valuesOf(result);
  if (values === undefined)
    return internal(`unable to fetch metrics: the query returned a ${result.type} instead of current values`);
  const odd = values.find(({ value }) => value === undefined);
  if (odd !== undefined) {
    return notFound(
      `the metric ${metric} has no usable value: ${describeLabels(odd.labels)} is not a number`,
    );
  }
  return {
    ok: true,
    status: 200,
    items: values.map(({ labels, value = "" }) => ({ labels, value })),
  };
}

function valuesOf(
  result: InstantResult,
): readonly { labels: Readonly<Record<string, string>>; value: string | undefined }[] | undefined {
  if (result.type === "scalar") return [{ labels: {}, value: quantityOf(result.value) }];
  if (result.type !== "vector") return undefined;
  return result.samples.map(({ labels, value }) => ({ labels, value: quantityOf(value) }));
}

function refused(failed: EntryResult & { readonly ok: false }, message: string, status: number): Served {
  return failed.isRule ? { ok: false, status, message } : { ok: false, status: 400, message: failed.message };
}

function notFound(message: string): Served {
  return { ok: false, status: 404, message };
}

function internal(message: string): Served {
  return { ok: false, status: 500, message };
}
