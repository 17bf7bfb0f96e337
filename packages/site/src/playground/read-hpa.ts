// Reads the HorizontalPodAutoscaler of the page, as strictly as `kubectl apply` with the checks of the API server.
import type { HorizontalPodAutoscaler } from "@plimsoll/core";
import { ConversionError, convertHpa, defaultHpa, validateHpa } from "@plimsoll/core/api";
import { type InputProblem, readYaml } from "./read-yaml.ts";

export type HpaRead =
  | { readonly ok: true; readonly hpa: HorizontalPodAutoscaler }
  | { readonly ok: false; readonly problems: readonly InputProblem[] };

/** Metrics of one object; the API server has no such limit. */
export const maxMetrics = 20;

/** A name and a namespace are filled in: nothing of the decision depends on them. */
export function readHpa(text: string): HpaRead {
  const read = readYaml(text);
  if (!read.ok) return refused(read.problem);
  const { value } = read;
  if (!isFields(value))
    return refused({ path: "", message: "is no object; write a HorizontalPodAutoscaler" });
  if (value["apiVersion"] !== "autoscaling/v2" || value["kind"] !== "HorizontalPodAutoscaler")
    return refused({
      path: "apiVersion",
      message: "begin with apiVersion: autoscaling/v2 and kind: HorizontalPodAutoscaler",
    });
  const given = value["metadata"];
  if (given !== undefined && given !== null && !isFields(given))
    return refused({ path: "metadata", message: "is no object; write such as { name: shop }" });
  const metadata = { name: "example", namespace: "default", ...given };
  return checked({ ...value, metadata });
}

function checked(object: Fields): HpaRead {
  try {
    const hpa = convertHpa(object, "v2") as unknown as HorizontalPodAutoscaler;
    const unknown = unknownFields(object, hpa, "");
    const invalid = validateHpa(defaultHpa(hpa)).map(({ path, value, message }) => ({
      path,
      message: `${isScalar(value) ? `${value} ` : ""}${message === "" ? "is required" : message}`,
    }));
    const metrics = hpa.spec.metrics?.length ?? 0;
    const many =
      metrics > maxMetrics
        ? [{ path: "spec.metrics", message: `has ${metrics} entries, and ${maxMetrics} are read` }]
        : [];
    const problems = [...unknown, ...invalid, ...many];
    return problems.length === 0 ? { ok: true, hpa } : { ok: false, problems };
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error;
    const { path, message } = error;
    return refused({ path, message: path === "" ? message : message.slice(path.length + 2) });
  }
}

/** What was given and is not in the object of the API. */
function unknownFields(given: unknown, kept: unknown, path: string): readonly InputProblem[] {
  if (Array.isArray(given) && Array.isArray(kept))
    return given.flatMap((entry, index) => unknownFields(entry, kept[index], `${path}[${index}]`));
  if (!isFields(given) || !isFields(kept)) return [];
  return Object.entries(given).flatMap(([key, value]) => {
    const place = path === "" ? key : `${path}.${key}`;
    // The status is what a controller wrote last: nothing here depends on it.
    if (place === "status" || value === null) return [];
    if (!Object.hasOwn(kept, key)) return [{ path: place, message: "is no field of this object" }];
    return unknownFields(value, kept[key], place);
  });
}

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function refused(problem: InputProblem): HpaRead {
  return { ok: false, problems: [problem] };
}
