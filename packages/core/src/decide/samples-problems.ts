import type { Problem } from "../objects/api/validate/problem.ts";
import { fieldsOf, membersOf } from "../values/fields.ts";
import { quantityOf } from "../values/quantity/milli.ts";
import { wrong } from "./refuse.ts";

const quantity = 'a quantity as text, such as "250m"';

/** What is wrong with the list of samples. A number is refused: as float it is not what the metrics API said. */
export function samplesProblems(samples: unknown): readonly Problem[] {
  if (!Array.isArray(samples)) return [wrong("samples", samples, "a list with one entry for each metric")];
  return samples.flatMap((entry: unknown, i) => metricProblems(`samples[${i}]`, entry));
}

function metricProblems(path: string, entry: unknown): readonly Problem[] {
  const { error, pods, values, value } = fieldsOf(entry);
  if (typeof error === "string") return [];
  if (Array.isArray(pods))
    return pods.flatMap((sample: unknown, i) => podProblems(`${path}.pods[${i}]`, sample));
  if (Array.isArray(values)) {
    return values.flatMap((sample: unknown, i) =>
      quantityProblems(`${path}.values[${i}].value`, fieldsOf(sample)["value"]),
    );
  }
  if (value !== undefined) return quantityProblems(`${path}.value`, value);
  return [wrong(path, entry, "an object with error, pods, value or values")];
}

function podProblems(path: string, sample: unknown): readonly Problem[] {
  const { name, containers, value } = fieldsOf(sample);
  const named = typeof name === "string" ? [] : [wrong(`${path}.name`, name, "text")];
  if (containers === undefined) return [...named, ...quantityProblems(`${path}.value`, value)];
  const used = membersOf(containers).flatMap(([container, usage]) =>
    membersOf(usage).flatMap(([resource, amount]) =>
      quantityProblems(`${path}.containers.${container}.${resource}`, amount),
    ),
  );
  return [...named, ...used];
}

function quantityProblems(path: string, value: unknown): readonly Problem[] {
  return typeof value === "string" && quantityOf(value) !== undefined ? [] : [wrong(path, value, quantity)];
}
