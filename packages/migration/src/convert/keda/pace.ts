// How fast a ScaledObject scales: intervals and behavior.
import { type Fields, fieldsOf } from "@plimsoll/core/internal/values";
import type { Findings } from "../findings.ts";
import { type FieldReader, textOf } from "../values.ts";
import type { KedaSwitches } from "./annotations.ts";
import type { KedaBounds } from "./bounds.ts";
import type { Rest } from "./compose.ts";

const defaultSeconds = { cooldown: 300, window: 300, sync: 15 };

/** The behavior of the HPA, with the annotations that stop one direction; undefined where there is none. */
export function behaviorOf(advanced: FieldReader, switches: KedaSwitches): Fields | undefined {
  const own = fieldsOf(advanced.value["horizontalPodAutoscalerConfig"])["behavior"];
  const isStopped = switches.stopsScaleDown || switches.stopsScaleUp;
  if (!isStopped) return own === undefined || own === null ? undefined : fieldsOf(own);
  const behavior = fieldsOf(own);
  const stopped = (direction: string) => ({ ...fieldsOf(behavior[direction]), selectPolicy: "Disabled" });
  return {
    ...behavior,
    ...(switches.stopsScaleDown ? { scaleDown: stopped("scaleDown") } : {}),
    ...(switches.stopsScaleUp ? { scaleUp: stopped("scaleUp") } : {}),
  };
}

/** What is left out of KEDA's own times; they are about the way to the replicas without an active trigger. */
export function notePace(
  spec: FieldReader,
  { bounds, rest }: { readonly bounds: KedaBounds; readonly rest: Rest },
  findings: Findings,
): void {
  const polling = spec.whole("pollingInterval", 1);
  const initial = spec.whole("initialCooldownPeriod", 0);
  const cooldown = spec.whole("cooldownPeriod", 0);
  if (rest === "never") {
    noteUnused(
      spec,
      { pollingInterval: polling, initialCooldownPeriod: initial, cooldownPeriod: cooldown },
      findings,
    );
    return;
  }
  noteCooldown(spec, { cooldown: cooldown ?? defaultSeconds.cooldown, bounds, rest }, findings);
  if (initial !== undefined && initial > 0)
    findings.note({
      path: spec.at("initialCooldownPeriod"),
      value: initial,
      message:
        "is left out: a new object follows its metrics at once and scales down after the stabilization window",
      remedy: "apply the object once its metrics have values",
    });
  if (polling !== undefined)
    findings.note({
      path: spec.at("pollingInterval"),
      value: polling,
      message: `is left out: metrics are read every ${defaultSeconds.sync} s, which --horizontal-pod-autoscaler-sync-period changes`,
      remedy:
        polling < defaultSeconds.sync
          ? `set tuning.syncPeriodSeconds: ${polling} for a faster start`
          : "nothing to do",
    });
}

function noteUnused(
  spec: FieldReader,
  unused: Readonly<Record<string, number | undefined>>,
  findings: Findings,
): void {
  for (const [field, value] of Object.entries(unused)) {
    if (value === undefined) continue;
    const message = "is left out: it has no effect unless an inactive object has fewer replicas";
    findings.note({ path: spec.at(field), value, message, remedy: "nothing to do" });
  }
}

/** KEDA sets the replicas itself after the period, in one step, beside the HPA. */
function noteCooldown(
  spec: FieldReader,
  { cooldown, bounds, rest }: { cooldown: number; bounds: KedaBounds; rest: Rest },
  findings: Findings,
): void {
  const path = spec.at("cooldownPeriod");
  if (rest === "outside-schedule") {
    const message = `is left out: the target has ${bounds.inactive} replicas as soon as the cron trigger ends`;
    const remedy = "set a later end if the pods need the time";
    findings.note({ path, value: cooldown, message, remedy });
    return;
  }
  const config = fieldsOf(fieldsOf(spec.value["advanced"])["horizontalPodAutoscalerConfig"]);
  const down = fieldsOf(fieldsOf(config["behavior"])["scaleDown"]);
  const window = textOf(down["stabilizationWindowSeconds"]) ?? String(defaultSeconds.window);
  if (String(cooldown) !== window)
    findings.note({
      path,
      value: cooldown,
      message: `is left out: scaling down to ${bounds.inactive} replicas takes the scaleDown stabilization window of ${window} s`,
      remedy: `write behavior.scaleDown.stabilizationWindowSeconds: ${Math.min(cooldown, 3600)}, if every scale-down may take this long`,
    });
  if (down["policies"] === undefined && down["selectPolicy"] !== "Disabled") return;
  findings.note({
    path: "spec.advanced.horizontalPodAutoscalerConfig.behavior.scaleDown",
    message: `also limits scaling down to ${bounds.inactive} replicas, which KEDA does in one step`,
    remedy: "nothing to do, unless the last replicas have to stop at once",
  });
}
