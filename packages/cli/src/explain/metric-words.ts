// Metrics of a specification and their quantities, in short.
import type { MetricSpec, MetricTrace } from "@plimsoll/core";
import { notKnown } from "../output/table.ts";

/** The bare name of a metric: "cpu", "queue_depth". */
export function metricName(spec: MetricSpec): string {
  const { resource, containerResource, pods, object, external } = spec;
  return resource?.name ?? containerResource?.name ?? (pods ?? object ?? external)?.metric.name ?? spec.type;
}

/** "90500m" is 90.5. */
export function plainQuantity(quantity: string): string {
  const [, milli] = /^(-?\d+)m$/.exec(quantity) ?? [];
  return milli === undefined ? quantity : String(Number(milli) / 1000);
}

/** "90500m each" is "90.5 each". */
export function shownQuantity(text: string | undefined): string {
  if (text === undefined) return notKnown;
  const [quantity = "", ...rest] = text.split(" ");
  return [plainQuantity(quantity), ...rest].join(" ");
}

/** Three decimals; below one, three digits. */
export function ratioText(ratio: number): string {
  return String(Number(Math.abs(ratio) < 1 ? ratio.toPrecision(3) : ratio.toFixed(3)));
}

/** "within 0.9–1.1" or "outside 0.9–1.1". */
export function bandText(ratio: number, { tolerance }: Pick<MetricTrace, "tolerance">): string {
  const { down = 0, up = 0 } = tolerance ?? {};
  const isWithin = ratio >= 1 - down && ratio <= 1 + up;
  return `${isWithin ? "within" : "outside"} ${ratioText(1 - down)}–${ratioText(1 + up)}`;
}
