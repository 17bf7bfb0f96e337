import { ConversionError, decode, type Json, type Shape } from "./schema.ts";

const prefix = "autoscaling.alpha.kubernetes.io/";

/** Annotations in which older versions carry what their fields cannot. */
export const annotationNames = {
  metrics: `${prefix}metrics`,
  behavior: `${prefix}behavior`,
  currentMetrics: `${prefix}current-metrics`,
  conditions: `${prefix}conditions`,
  scaleUpTolerance: `${prefix}scale-up-tolerance`,
  scaleDownTolerance: `${prefix}scale-down-tolerance`,
} as const;

const names: ReadonlySet<string> = new Set(Object.values(annotationNames));

/** Metadata with all round-trip annotations replaced by these. */
export function withAnnotations(metadata: Json, added: Json): Json {
  const { annotations, ...rest } = metadata;
  if (annotations === undefined || annotations === null)
    return Object.keys(added).length === 0 ? metadata : { ...rest, annotations: added };
  const kept = Object.entries(annotations as Json).filter(([name]) => !names.has(name));
  const all = { ...Object.fromEntries(kept), ...added };
  return Object.keys(all).length === 0 ? rest : { ...rest, annotations: all };
}

export function annotationOf(metadata: Json, name: string): string | undefined {
  const annotations = metadata["annotations"];
  if (typeof annotations !== "object" || annotations === null || !Object.hasOwn(annotations, name))
    return undefined;
  const value = (annotations as Json)[name];
  return typeof value === "string" ? value : undefined;
}

/** The JSON in an annotation, in the given shape; undefined when it is missing or malformed, as upstream ignores both. */
export function decodeAnnotation(metadata: Json, name: string, shape: Shape): unknown {
  const text = annotationOf(metadata, name);
  if (text === undefined) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    // Go reads null into an empty list.
    if (parsed === null && Array.isArray(shape)) return [];
    return decode(shape, foldKeys(shape, parsed), name);
  } catch (error) {
    if (error instanceof ConversionError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Go reads JSON's field names without regard to case. */
function foldKeys(shape: Shape, value: unknown): unknown {
  if (typeof shape !== "object" || typeof value !== "object" || value === null) return value;
  if (Array.isArray(shape)) {
    const [item] = shape as readonly Shape[];
    return Array.isArray(value) && item !== undefined ? value.map((entry) => foldKeys(item, entry)) : value;
  }
  if (Array.isArray(value)) return value;
  const fields = shape as { readonly [field: string]: Shape };
  const byLower = new Map(Object.keys(fields).map((key) => [key.toLowerCase(), key]));
  const folded: Json = {};
  for (const [key, inner] of Object.entries(value)) {
    const name = Object.hasOwn(fields, key) ? key : byLower.get(key.toLowerCase());
    const innerShape = name === undefined ? undefined : fields[name];
    if (name !== undefined && innerShape !== undefined) folded[name] = foldKeys(innerShape, inner);
  }
  return folded;
}

/** Behavior as upstream's internal type prints it: Go's field names, null for what is not set. */
export function encodeBehavior(behavior: Json): string {
  const rules = (given: unknown) => {
    if (given === undefined) return null;
    const { stabilizationWindowSeconds, selectPolicy, policies, tolerance } = given as Json;
    return {
      StabilizationWindowSeconds: stabilizationWindowSeconds ?? null,
      SelectPolicy: selectPolicy ?? null,
      Policies:
        (policies as readonly Json[] | undefined)?.map(({ type, value, periodSeconds }) => ({
          Type: type ?? "",
          Value: value ?? 0,
          PeriodSeconds: periodSeconds ?? 0,
        })) ?? null,
      Tolerance: tolerance ?? null,
    };
  };
  return JSON.stringify({ ScaleUp: rules(behavior["scaleUp"]), ScaleDown: rules(behavior["scaleDown"]) });
}
