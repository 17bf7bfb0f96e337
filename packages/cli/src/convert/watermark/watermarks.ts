// Two watermarks as a target with a tolerance for each direction.
import { milliValue, parseQuantity } from "@plimsoll/core/quantity";
import type { Findings } from "../findings.ts";
import type { FieldReader } from "../values.ts";
import { textOf } from "../values.ts";

export interface Watermarks {
  /** In thousandths; both are positive. */
  readonly low: number;
  readonly high: number;
  /** As written. */
  readonly highText: string;
}

/** A quantity in thousandths; undefined when absent, or refused. */
export function readQuantity(reader: FieldReader, field: string, findings: Findings): number | undefined {
  const given = reader.value[field];
  if (given === undefined || given === null) return undefined;
  const milli = milliOf(textOf(given) ?? "");
  if (milli !== undefined) return milli;
  const message = "is no quantity";
  findings.problem({ path: reader.at(field), value: given, message, remedy: "correct it" });
  return undefined;
}

function milliOf(text: string): number | undefined {
  if (text.length > 128) return undefined;
  try {
    const milli = Number(milliValue(parseQuantity(text)));
    return Number.isSafeInteger(milli) ? milli : undefined;
  } catch {
    return undefined;
  }
}

/** One that is absent is as the other. */
export function readWatermarks(source: FieldReader, findings: Findings): Watermarks | undefined {
  const low = readQuantity(source, "lowWatermark", findings);
  const high = readQuantity(source, "highWatermark", findings);
  const [only] = [high ?? low].filter((one) => one !== undefined);
  const refuse = (field: string, message: string, remedy: string) => {
    const value = source.value[field];
    findings.problem({ path: source.at(field), ...(value === undefined ? {} : { value }), message, remedy });
    return undefined;
  };
  if (only === undefined)
    return refuse(
      "highWatermark",
      "is missing",
      "write the watermarks; one of them is as the other if it is absent",
    );
  if (only <= 0) return refuse("highWatermark", "is not above 0", "correct it");
  const lower = low ?? only;
  if (lower < 0) return refuse("lowWatermark", "is below 0", "correct it");
  if (lower > only) return refuse("lowWatermark", "is above highWatermark", "correct one of them");
  const field = high === undefined ? "lowWatermark" : "highWatermark";
  return { low: lower, high: only, highText: textOf(source.value[field]) ?? "" };
}

/**
 * How far below the high watermark nothing is scaled down yet: the low watermark, less the tolerance, as a fraction of the
 * high one. Nine digits, as a quantity has.
 */
export function downTolerance({ low, high }: Watermarks, toleranceMilli: number): number {
  const edge = (low * (1000 - toleranceMilli)) / 1000 / high;
  return Number((1 - edge).toFixed(9));
}
