// Metrics of a specification and their quantities, in short.
import type { MetricTrace } from "@plimsoll/core";
import { plainBytes, plainQuantity, showRatio } from "@plimsoll/core/internal/values";
import { notKnown } from "./table.ts";

/** "90500m each" is "90.5 each", and "536870912 each" in bytes is "512Mi each". */
export function shownQuantity(text: string | null | undefined, isBytes = false): string {
  if (text == null) return notKnown;
  const [quantity = "", ...rest] = text.split(" ");
  const plain = isBytes ? plainBytes(quantity) : plainQuantity(quantity);
  return [plain, ...rest].join(" ");
}

/** "within 0.9–1.1" or "outside 0.9–1.1". */
export function bandText(ratio: number, { tolerance }: Pick<MetricTrace, "tolerance">): string {
  const { down = 0, up = 0 } = tolerance ?? {};
  const isWithin = ratio >= 1 - down && ratio <= 1 + up;
  return `${isWithin ? "within" : "outside"} ${showRatio(1 - down)}–${showRatio(1 + up)}`;
}
