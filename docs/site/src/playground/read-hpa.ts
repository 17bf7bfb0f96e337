// Reads the HorizontalPodAutoscaler of the page, as strictly as `kubectl apply` with the checks of the API server.
import type { HorizontalPodAutoscaler } from "@plimsoll/core";
import { convertHpa } from "@plimsoll/core/api";
import { checkHpa } from "@plimsoll/core/internal/objects";
import { type Fields, isFields } from "@plimsoll/core/internal/values";
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
    return refused({ path: "", message: "is not an object; write a HorizontalPodAutoscaler" });
  if (value["apiVersion"] !== "autoscaling/v2" || value["kind"] !== "HorizontalPodAutoscaler")
    return refused({
      path: "apiVersion",
      message: "begin with apiVersion: autoscaling/v2 and kind: HorizontalPodAutoscaler",
    });
  const given = value["metadata"];
  if (given !== undefined && given !== null && !isFields(given))
    return refused({ path: "metadata", message: "is not an object; use a value such as { name: shop }" });
  const metadata = { name: "example", namespace: "default", ...given };
  return checked({ ...value, metadata });
}

function checked(object: Fields): HpaRead {
  const refusals = checkHpa(object).map(({ path, value, message, remedy }) => ({
    path,
    message: `${isScalar(value) ? `${value} ` : ""}${message}: ${remedy}`,
  }));
  if (refusals.length > 0) return { ok: false, problems: refusals };
  const hpa = convertHpa(object, "v2") as unknown as HorizontalPodAutoscaler;
  const metrics = hpa.spec.metrics?.length ?? 0;
  if (metrics <= maxMetrics) return { ok: true, hpa };
  return refused({ path: "spec.metrics", message: `has ${metrics} entries, and ${maxMetrics} are read` });
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function refused(problem: InputProblem): HpaRead {
  return { ok: false, problems: [problem] };
}
