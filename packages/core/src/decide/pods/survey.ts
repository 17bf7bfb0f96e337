// Sorts the selected pods of a metric into groups, and adds up their usage and requests.

import type { PodCounts, PodTrace } from "../../objects/trace/metric.ts";
import { type Int64, type Sum, sum } from "../../values/number/int64.ts";
import { milliText } from "../../values/quantity/format.ts";
import { type Usage, usageName, usageText } from "../metrics/usage-table.ts";
import { type ClassifyRules, classifyPod, groupOf } from "./classify.ts";
import type { PodFacts } from "./facts.ts";
import { matchUsage } from "./match.ts";
import { type RequestQuery, requestOf } from "./requests.ts";

/** All selected pods, sorted into upstream's groups and added up. */
export interface Survey {
  readonly counts: PodCounts;
  /** Sums of usage over ready pods, and over samples that belong to no selected pod. */
  readonly readyTotal: Sum;
  readonly extraTotal: Sum;
  /** Requests, all zero where no metric needs them. */
  readonly readyRequested: Sum;
  readonly missingRequested: readonly Int64[];
  readonly unreadyRequested: Sum;
  /** Why the requests are unknown; one pod without fails them all. */
  readonly requestError: string | undefined;
  readonly pods: readonly PodTrace[];
}

export interface SurveyInput extends ClassifyRules {
  /** Present where the target is a percentage of requests. */
  readonly requests: RequestQuery | undefined;
}

/**
 * One pass over the pods. The sums are variables of this function: as fields of an object they take half as long again.
 *
 * @upstream pkg/controller/podautoscaler/replica_calculator.go#groupPods
 */
export function surveyPods(pods: readonly PodFacts[], usage: Usage, input: SurveyInput): Survey {
  const { ofPod, extra } = matchUsage(pods, usage);
  const { samples, current } = usage;
  const requests: Requests = { query: input.requests, error: undefined, last: undefined, text: "" };
  let [ready, unready, ignored] = [0, 0, 0];
  let readyTotal: Sum = 0;
  let readyRequested: Sum = 0;
  let unreadyRequested: Sum = 0;
  const missingRequested: Int64[] = [];
  const traces: PodTrace[] = [];
  for (let i = 0; i < pods.length; i++) {
    const pod = pods[i];
    if (pod === undefined) continue;
    const at = ofPod === undefined ? i : (ofPod[i] ?? -1);
    const hasSample = at >= 0 && at < samples.length && usage.read(at);
    const why = classifyPod(pod, hasSample ? samples[at] : undefined, input);
    const group = groupOf(why);
    const request = readRequest(requests, pod);
    if (group === "ready") {
      ready++;
      readyTotal = sum(readyTotal, current.milli);
      readyRequested = sum(readyRequested, request);
    } else if (group === "missing") missingRequested.push(request);
    else if (group === "unready") {
      unready++;
      unreadyRequested = sum(unreadyRequested, request);
    } else ignored++;
    const text = requests.query === undefined ? undefined : requests.text;
    traces.push(podTrace({ name: pod.name, group, why }, hasSample ? usageText(usage) : undefined, text));
  }
  return {
    counts: { ready, unready, missing: missingRequested.length, ignored, extra: extra.length },
    readyTotal,
    extraTotal: addExtra(extra, usage, traces),
    readyRequested,
    missingRequested,
    unreadyRequested,
    requestError: requests.error,
    pods: traces,
  };
}

function podTrace(
  { name, group, why }: Pick<PodTrace, "name" | "group" | "why">,
  usage: string | undefined,
  request: string | undefined,
): PodTrace {
  if (request === undefined) return usage === undefined ? { name, group, why } : { name, group, why, usage };
  return usage === undefined ? { name, group, why, request } : { name, group, why, usage, request };
}

/** The sum over samples that belong to no selected pod, each of which gets its trace. */
function addExtra(extra: readonly number[], usage: Usage, traces: PodTrace[]): Sum {
  let total: Sum = 0;
  for (const at of extra) {
    usage.read(at);
    total = sum(total, usage.current.milli);
    const name = usageName(usage, at);
    traces.push({ name, group: "extra", why: "not-selected", usage: usageText(usage) });
  }
  return total;
}

/** Written by `readRequest`. The last request is kept with its text, since pods of one workload mostly have the same. */
interface Requests {
  /** Undefined where no metric needs requests, and after the first error. */
  query: RequestQuery | undefined;
  error: string | undefined;
  last: Int64 | undefined;
  text: string;
}

/** @upstream pkg/controller/podautoscaler/replica_calculator.go#calculateRequests */
function readRequest(requests: Requests, pod: PodFacts): Int64 {
  if (requests.query === undefined) return 0;
  const request = requestOf(pod, requests.query);
  if (typeof request === "string") {
    requests.error = request;
    requests.query = undefined;
    return 0;
  }
  if (request !== requests.last) {
    requests.last = request;
    requests.text = milliText(request);
  }
  return request;
}

/** A trace of pods whose requests do not count after all. */
export function withoutRequests(pods: readonly PodTrace[]): readonly PodTrace[] {
  return pods.map(({ name, group, why, usage }) =>
    usage === undefined ? { name, group, why } : { name, group, why, usage },
  );
}
