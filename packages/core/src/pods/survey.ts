import { type Usage, usageName, usageText } from "../metrics/usage-table.ts";
import { add, type Int64 } from "../number/int64.ts";
import { milliText } from "../quantity/format.ts";
import type { PodCounts, PodTrace } from "../trace/metric.ts";
import { type ClassifyRules, classifyPod, groupOf } from "./classify.ts";
import type { PodFacts } from "./facts.ts";
import { matchUsage } from "./match.ts";
import { type RequestQuery, requestOf } from "./requests.ts";

/** All selected pods, sorted into upstream's groups and added up. */
export interface Survey {
  readonly counts: PodCounts;
  /** Sums of usage over ready pods, and over samples that belong to no selected pod. */
  readonly readyTotal: Int64;
  readonly extraTotal: Int64;
  /** Requests, all zero where none are asked for. */
  readonly readyRequested: Int64;
  readonly missingRequested: readonly Int64[];
  readonly unreadyRequested: Int64;
  /** Why the requests cannot be told; one pod without fails them all. */
  readonly requestError: string | undefined;
  readonly pods: readonly PodTrace[];
}

export interface SurveyQuestion extends ClassifyRules {
  /** Present where the target is a percentage of requests. */
  readonly requests: RequestQuery | undefined;
}

/**
 * One pass over the pods.
 *
 * @upstream pkg/controller/podautoscaler/replica_calculator.go#groupPods
 * @upstream pkg/controller/podautoscaler/replica_calculator.go#calculateRequests
 */
export function surveyPods(pods: readonly PodFacts[], usage: Usage, question: SurveyQuestion): Survey {
  const { ofPod, extra } = matchUsage(pods, usage);
  const { samples, current } = usage;
  let query = question.requests;
  let requestError: string | undefined;
  let [ready, unready, ignored] = [0, 0, 0];
  let readyTotal: Int64 = 0;
  let readyRequested: Int64 = 0;
  let unreadyRequested: Int64 = 0;
  const missingRequested: Int64[] = [];
  const traces: PodTrace[] = [];
  // Pods of one workload mostly ask for the same.
  let lastRequest: Int64 | undefined;
  let lastText = "";
  for (let i = 0; i < pods.length; i++) {
    const pod = pods[i];
    if (pod === undefined) continue;
    const at = ofPod === undefined ? i : (ofPod[i] ?? -1);
    const hasSample = at >= 0 && at < samples.length && usage.read(at);
    const why = classifyPod(pod, hasSample ? samples[at] : undefined, question);
    const group = groupOf(why);
    let request: Int64 = 0;
    if (query !== undefined) {
      const asked = requestOf(pod, query);
      if (typeof asked === "string") {
        requestError = asked;
        query = undefined;
      } else {
        request = asked;
        if (request !== lastRequest) {
          lastRequest = request;
          lastText = milliText(request);
        }
      }
    }
    if (group === "ready") {
      ready++;
      readyTotal = add(readyTotal, current.milli);
      readyRequested = add(readyRequested, request);
    } else if (group === "missing") missingRequested.push(request);
    else if (group === "unready") {
      unready++;
      unreadyRequested = add(unreadyRequested, request);
    } else ignored++;
    const { name } = pod;
    if (query === undefined) {
      traces.push(hasSample ? { name, group, why, usage: usageText(usage) } : { name, group, why });
    } else {
      traces.push(
        hasSample
          ? { name, group, why, usage: usageText(usage), request: lastText }
          : { name, group, why, request: lastText },
      );
    }
  }
  let extraTotal: Int64 = 0;
  for (const at of extra) {
    usage.read(at);
    extraTotal = add(extraTotal, current.milli);
    const name = usageName(usage, at);
    traces.push({ name, group: "extra", why: "not-selected", usage: usageText(usage) });
  }
  const missing = missingRequested.length;
  return {
    counts: { ready, unready, missing, ignored, extra: extra.length },
    readyTotal,
    extraTotal,
    readyRequested,
    missingRequested,
    unreadyRequested,
    requestError,
    pods: traces,
  };
}

/** A trace of pods whose requests do not count after all. */
export function withoutRequests(pods: readonly PodTrace[]): readonly PodTrace[] {
  return pods.map(({ name, group, why, usage }) =>
    usage === undefined ? { name, group, why } : { name, group, why, usage },
  );
}
