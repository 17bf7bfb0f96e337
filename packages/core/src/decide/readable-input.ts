// Makes an input safe to read for those who change it and decide again.
import { cleanSpec } from "../objects/api/clean.ts";
import type { DecideInput } from "../objects/decision.ts";
import type { HpaSpec } from "../objects/hpa.ts";
import type { MetricSamples, PodSamples } from "../objects/samples.ts";
import { readStatus } from "../objects/status/read.ts";
import { isObject } from "../values/fields.ts";
import { preparePods } from "./pods/prepare.ts";
import { essentialProblems } from "./refuse.ts";

/** The input without what `decide` takes for absent, its pods read once; undefined when `decide` refuses it. */
export function readableInput(input: DecideInput): DecideInput | undefined {
  if (essentialProblems(input).length > 0) return undefined;
  const { hpa, pods, samples, scale } = input;
  const { status } = hpa;
  return {
    ...input,
    hpa: {
      ...hpa,
      spec: cleanSpec(hpa.spec) as HpaSpec,
      ...(status === undefined || status === null ? { status: undefined } : { status: readStatus(status) }),
    },
    scale: scale ?? { ok: false, message: "" },
    pods: pods?.ok ? { ok: true, pods: preparePods(pods.pods) } : { ok: false, message: pods?.message ?? "" },
    samples: Array.isArray(samples) ? (samples as readonly MetricSamples[]).map(readableSamples) : [],
  };
}

function readableSamples(samples: MetricSamples): MetricSamples {
  if (!isObject(samples)) return { pods: [] };
  if (!("pods" in samples) || !Array.isArray(samples.pods)) return samples;
  const pods = samples.pods as PodSamples["pods"];
  return pods.every(isObject) ? samples : { ...samples, pods: pods.filter(isObject) };
}
