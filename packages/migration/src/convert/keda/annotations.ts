// What annotations of KEDA do to a ScaledObject.
import { type Fields, fieldsOf } from "@plimsoll/core/internal/values";
import type { Findings } from "../findings.ts";
import { goBoolean } from "../go-boolean.ts";
import { fieldPath, textOf } from "../values.ts";

export interface KedaSwitches {
  readonly isPaused: boolean;
  readonly stopsScaleDown: boolean;
  readonly stopsScaleUp: boolean;
  readonly forcesActivation: boolean;
}

const own = "autoscaling.keda.sh/";
const path = "metadata.annotations";

export function readSwitches(metadata: Fields, findings: Findings): KedaSwitches {
  const annotations = fieldsOf(metadata["annotations"]);
  // What is not a boolean is true, for KEDA.
  const isOn = (name: string) => {
    const text = textOf(annotations[`${own}${name}`]);
    return text === undefined ? false : (goBoolean(text) ?? true);
  };
  const pausedAt = textOf(annotations[`${own}paused-replicas`]);
  if (pausedAt !== undefined) notePausedReplicas(pausedAt, findings);
  noteOthers(annotations, findings);
  return {
    isPaused: pausedAt !== undefined || isOn("paused"),
    stopsScaleDown: isOn("paused-scale-in"),
    stopsScaleUp: isOn("paused-scale-out"),
    forcesActivation: isOn("force-activation"),
  };
}

const readNames = ["paused", "paused-replicas", "paused-scale-in", "paused-scale-out", "force-activation"];

function notePausedReplicas(text: string, findings: Findings): void {
  const isCount = /^\d{1,9}$/.test(text);
  findings.note({
    path: fieldPath(path, `${own}paused-replicas`),
    value: text,
    message: "is converted to mode Paused, which keeps the current replicas",
    remedy: isCount
      ? `run kubectl scale with --replicas=${text} if they differ`
      : "KEDA can't read a number in it either",
  });
}

function noteOthers(annotations: Fields, findings: Findings): void {
  for (const name of Object.keys(annotations)) {
    if (!isOfKeda(name) || readNames.some((known) => name === `${own}${known}`)) continue;
    findings.note({
      path: fieldPath(path, name),
      message: "is left out: it only affects KEDA's HorizontalPodAutoscaler",
      remedy: "nothing to do",
    });
  }
}

/** Labels and annotations that mean something to KEDA only. */
export function isOfKeda(name: string): boolean {
  return /^(?:[a-z0-9-]+\.)*keda\.sh\//.test(name);
}
