// How fast a WatermarkPodAutoscaler scales: windows, delays and limits of one step.
import type { Findings } from "../findings.ts";
import type { FieldReader } from "../values.ts";
import { readQuantity } from "./watermarks.ts";

export interface WatermarkPace {
  readonly tuning: { readonly upscaleDelaySeconds: number; readonly downscaleDelaySeconds: number };
  readonly scaleUp: object;
  readonly scaleDown: object;
}

/** Of windows and delays of a WorkloadAutoscaler; of periods of a policy. */
const maxSeconds = 3600;
const maxPeriodSeconds = 1800;

export function readPace(spec: FieldReader, findings: Findings): WatermarkPace {
  // 0 is absent, for that controller.
  const upWindow = readSeconds(spec, "upscaleForbiddenWindowSeconds", findings) || 60;
  const downWindow = readSeconds(spec, "downscaleForbiddenWindowSeconds", findings) || 300;
  const upDelay = readSeconds(spec, "upscaleDelayAboveWatermarkSeconds", findings) ?? 0;
  const downDelay = readSeconds(spec, "downscaleDelayBelowWatermarkSeconds", findings) ?? 0;
  noteDelays(spec, findings);
  const upFactor = readFactor(spec, { field: "scaleUpLimitFactor", usual: 50 }, findings);
  const downFactor = readFactor(spec, { field: "scaleDownLimitFactor", usual: 20 }, findings);
  return {
    tuning: { upscaleDelaySeconds: upWindow, downscaleDelaySeconds: downWindow },
    scaleUp: { stabilizationWindowSeconds: upDelay, ...limitOf(upFactor, upWindow) },
    scaleDown: { stabilizationWindowSeconds: downDelay, ...limitOf(downFactor, downWindow) },
  };
}

/** Within the window there is no other step, so that the limit of a period is that of one step. */
function limitOf(percent: number, windowSeconds: number): object {
  if (percent === 0) return { selectPolicy: "Disabled" };
  const periodSeconds = Math.max(1, Math.min(windowSeconds, maxPeriodSeconds));
  return { policies: [{ type: "Percent", value: percent, periodSeconds }] };
}

function readSeconds(spec: FieldReader, field: string, findings: Findings): number | undefined {
  const found = spec.whole(field, 0);
  if (found === undefined || found <= maxSeconds) return found;
  findings.note({
    path: spec.at(field),
    value: found,
    message: `is written as ${maxSeconds}, the most that a WorkloadAutoscaler can have`,
    remedy: "use a slower metric where it has to be longer",
  });
  return maxSeconds;
}

function noteDelays(spec: FieldReader, findings: Findings): void {
  const delays = [
    ["upscaleDelayAboveWatermarkSeconds", "lowest"],
    ["downscaleDelayBelowWatermarkSeconds", "highest"],
  ] as const;
  for (const [field, which] of delays) {
    const value = spec.value[field];
    if (typeof value !== "number" || value <= 0) continue;
    findings.note({
      path: spec.at(field),
      value,
      message: `is written as a stabilization window: after it the ${which} proposal of the window applies, and not the last`,
      remedy: "nothing is to be done",
    });
  }
}

/** In percent of the replicas; a policy has whole ones. */
function readFactor(
  spec: FieldReader,
  { field, usual }: { readonly field: string; readonly usual: number },
  findings: Findings,
): number {
  const milli = readQuantity(spec, field, findings);
  if (milli === undefined) return usual;
  const isDown = field === "scaleDownLimitFactor";
  if (milli < 0 || (isDown && milli >= 100_000)) {
    const message = isDown ? "is not from 0 to below 100" : "is below 0";
    findings.problem({ path: spec.at(field), value: spec.value[field], message, remedy: "correct it" });
    return usual;
  }
  const percent = milli / 1000;
  if (Number.isInteger(percent) && percent < 2 ** 31) return percent;
  const written = Math.min(Math.max(1, Math.round(percent)), 2 ** 31 - 1);
  findings.note({
    path: spec.at(field),
    value: spec.value[field],
    message: `is written as ${written}: a policy has whole percents`,
    remedy: "nothing is to be done",
  });
  return written;
}
