// Queries of WorkloadAutoscalers: what was sent for them, and what is wrong where there is no value.
import { createInterner } from "@plimsoll/component-base";
import type { ExternalSamples, FailedSamples, PodSamples } from "@plimsoll/core";
import { fieldsOf } from "@plimsoll/core/internal/values";
import { ApiError } from "@plimsoll/kube";
import { type MetricCall, NotServedError, textOf } from "./wire.ts";

/** A query with the namespace in each of its selectors; longer ones are not kept. */
const maxQueryLength = 16_384;
const maxShared = 5_000;
/** Each evaluation of an object has the same one, and keeps it. */
const shared = createInterner(maxShared);

/**
 * The same call for the values of a query. The adapter says which query it sent: values without it are those of another
 * adapter, which cannot know what the name means.
 */
export function ofQuery<T extends PodSamples | ExternalSamples>(call: MetricCall<T>): MetricCall<T> {
  return {
    ...call,
    read(body) {
      const sent = textOf(fieldsOf(body)["query"]);
      if (sent === undefined) throw new NotServedError("the values come from another adapter");
      return { ...call.read(body), query: shared.string(sent.slice(0, maxQueryLength)) };
    },
  };
}

const remedy =
  "Plimsoll's metrics-adapter with --metric-rules=true serves queries of WorkloadAutoscalers: point the APIServices of custom.metrics.k8s.io and external.metrics.k8s.io to it";

/**
 * @param text what the error says
 * @param maxLength of the whole
 */
export function queryFailure(error: unknown, text: string, maxLength: number): FailedSamples {
  const reason = reasonOf(error);
  if (reason === undefined) return { error: text.slice(0, maxLength) };
  if (reason !== "NotServed") return { error: text.slice(0, maxLength), reason };
  return { error: `${text.slice(0, maxLength - remedy.length - 2)}: ${remedy}`, reason };
}

/** The adapter names the reason in the Status; a 404 without one is from a server that knows no queries. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof NotServedError) return "NotServed";
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof ApiError)) return undefined;
  const { causes } = fieldsOf(fieldsOf(cause.status)["details"]);
  const reason = textOf(fieldsOf(Array.isArray(causes) ? (causes[0] as unknown) : undefined)["reason"]);
  if (reason !== undefined && /^[A-Z][A-Za-z]{0,62}$/.test(reason)) return reason;
  return cause.code === 404 ? "NotServed" : undefined;
}
