// Metrics in short: their names, values, targets and ratios.
import type { JsonFloat, MetricSpec, MetricTrace, PassTrace } from "@plimsoll/core";

/** "cpu, % of requests", "queue_depth (External)"; without the specification the controller's own name of it. */
export function metricTitle(spec: MetricSpec | undefined, trace: Pick<MetricTrace, "name">): string {
  const { resource, containerResource, pods, object, external } = spec ?? {};
  switch (spec?.type) {
    case "Resource":
      return `${resource?.name ?? ""}${unitOf(resource?.target.type)}`;
    case "ContainerResource":
      return `${containerResource?.name ?? ""} of ${containerResource?.container ?? ""}${unitOf(containerResource?.target.type)}`;
    case "Pods":
      return `${pods?.metric.name ?? ""} (Pods)`;
    case "Object": {
      const { kind = "", name = "" } = object?.describedObject ?? {};
      return `${object?.metric.name ?? ""} of ${kind}/${name}`;
    }
    case "External":
      return `${external?.metric.name ?? ""} (External)`;
    default:
      return trace.name;
  }
}

function unitOf(targetType: string | undefined): string {
  return targetType === "Utilization" ? ", % of requests" : ", per pod";
}

/** The bare name of a metric: "cpu", "queue_depth". */
export function metricName(spec: MetricSpec | undefined, trace: Pick<MetricTrace, "name">): string {
  const { resource, containerResource, pods, object, external } = spec ?? {};
  return (
    resource?.name ??
    containerResource?.name ??
    (pods ?? object ?? external)?.metric.name ??
    nameInTrace(trace.name)
  );
}

/** "cpu resource utilization (percentage of request)", "external metric queue_depth(nil)". */
function nameInTrace(name: string): string {
  const [, custom] = /^(?:pods|object|external) metric (\S+?)(?:\(|$)/.exec(name) ?? [];
  return custom ?? name.split(" ")[0] ?? name;
}

/** As it was measured; undefined: it was not. */
export function valueText({ first, target, statusReplicas }: MetricTrace): string | undefined {
  if (first === undefined) return undefined;
  if (target?.type === "Utilization") return `${first.usage}%`;
  return plainQuantity(isTotal(target?.type, statusReplicas) ? first.total : first.usage);
}

/** "60%", "30 each", "100". */
export function targetText({ target }: MetricTrace): string | undefined {
  if (target === undefined) return undefined;
  if (target.type === "Utilization") return `${target.value}%`;
  return target.type === "AverageValue" ? `${plainQuantity(target.value)} each` : plainQuantity(target.value);
}

/** Whether the whole is measured, and not what each pod has. */
function isTotal(targetType: string | undefined, statusReplicas: number | undefined): boolean {
  return targetType === "Value" || statusReplicas !== undefined;
}

/** "90500m" is 90.5. */
export function plainQuantity(quantity: string): string {
  const [, milli] = /^(-?\d+)m$/.exec(quantity) ?? [];
  return milli === undefined ? quantity : String(Number(milli) / 1000);
}

/** What decides, with missing and unready pods filled in where that was done. */
export function decisivePass({ first, second }: MetricTrace): PassTrace | undefined {
  return second ?? first;
}

/** Three decimals; below one, three digits. */
export function ratioText(ratio: JsonFloat | undefined): string | undefined {
  if (ratio === undefined) return undefined;
  if (typeof ratio !== "number") return ratio;
  return String(Number(Math.abs(ratio) < 1 ? ratio.toPrecision(3) : ratio.toFixed(3)));
}

/**
 * The shortest form, from three decimals on, of which the same can be said as of the exact ratio: rounding must not move
 * it over a bound, nor change what is computed from it.
 */
export function ratioTextSo(ratio: JsonFloat | undefined, holds: (ratio: number) => boolean): string {
  if (typeof ratio === "number" && holds(ratio)) {
    for (let digits = 3; digits < 17; digits += 1) {
      const near = Number(Math.abs(ratio) < 1 ? ratio.toPrecision(digits) : ratio.toFixed(digits));
      if (holds(near)) return String(near);
      const below = Math.floor(ratio * 10 ** digits) / 10 ** digits;
      if (holds(below)) return String(below);
    }
  }
  return ratioText(ratio) ?? "?";
}

/** "0.9–1.1". */
export function bandText({ tolerance }: MetricTrace): string {
  const { down = 0, up = 0 } = tolerance ?? {};
  return `${ratioText(1 - down) ?? ""}–${ratioText(1 + up) ?? ""}`;
}

export function isWithinBand(ratio: number, { tolerance }: MetricTrace): boolean {
  const { down = 0, up = 0 } = tolerance ?? {};
  return ratio >= 1 - down && ratio <= 1 + up;
}

/** As a number, of what was measured; undefined: not measured, or not finite. */
export function ratioOf({ first }: MetricTrace): number | undefined {
  return typeof first?.ratio === "number" ? first.ratio : undefined;
}
