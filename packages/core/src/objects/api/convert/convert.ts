// Converts HPAs between the versions of the API.
import { textOf } from "../../../values/fields.ts";
import { fromV1, fromV2, fromV2beta1, fromV2beta2, type Internal } from "./from-version.ts";
import { ConversionError, type Json, type Shape } from "./schema.ts";
import { v1Object, v2beta1Object, v2beta2Object, v2Object } from "./shapes.ts";
import { toV1, toV2, toV2beta1, toV2beta2 } from "./to-version.ts";

/** A version of the autoscaling API. */
export type HpaVersion = "autoscaling/v1" | "autoscaling/v2beta1" | "autoscaling/v2beta2" | "autoscaling/v2";

interface Version {
  /** Beside the fields that every object has. */
  readonly shape: { readonly [field: string]: Shape };
  /** The first release of Kubernetes whose API server does not serve it. */
  readonly goneIn?: string;
  readonly from: (object: Json) => Internal;
  readonly to: (internal: Internal) => Json;
}

/** By apiVersion. */
export const versions: ReadonlyMap<string, Version> = new Map<string, Version>([
  ["autoscaling/v1", { shape: v1Object, from: fromV1, to: toV1 }],
  ["autoscaling/v2beta1", { shape: v2beta1Object, goneIn: "1.25", from: fromV2beta1, to: toV2beta1 }],
  ["autoscaling/v2beta2", { shape: v2beta2Object, goneIn: "1.26", from: fromV2beta2, to: toV2beta2 }],
  ["autoscaling/v2", { shape: v2Object, from: fromV2, to: toV2 }],
]);

/**
 * An HPA of one API version in another, as the API server converts them: what the target version has no field
 * for travels in annotations, and comes back from there. No defaults are applied, but that a v1 object without
 * any metric gets cpu at 80 %. Quantities come out canonical; fields the API does not know are dropped.
 *
 * @param toVersion "autoscaling/v2", or "v2" for short.
 * @throws ConversionError when a version is unknown or a field has another type than the API's.
 */
export function convertHpa(object: unknown, toVersion: string): Record<string, unknown> {
  if (typeof object !== "object" || object === null) throw new ConversionError("", "is not an object");
  const source = object as Json;
  const from = versions.get(textOf(source["apiVersion"]));
  if (from === undefined) throw new ConversionError("apiVersion", "is not a known version of autoscaling");
  const wanted = textOf(toVersion);
  const name = wanted.startsWith("autoscaling/") ? wanted : `autoscaling/${wanted}`;
  const to = versions.get(name);
  if (to === undefined) throw new ConversionError("", `unknown target version ${JSON.stringify(toVersion)}`);
  return { apiVersion: name, kind: "HorizontalPodAutoscaler", ...to.to(from.from(source)) };
}
