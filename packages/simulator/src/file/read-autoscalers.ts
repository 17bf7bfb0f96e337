// Reads the columns of a file: the autoscalers that are compared.
import { problemsText } from "@plimsoll/core/api";
import { metricIdentifier, metricSource, resourceName } from "@plimsoll/core/internal/objects";
import { fieldsOf } from "@plimsoll/core/internal/values";
import { metricsOf } from "../loop/sync.ts";
import type { Workload } from "../scenario.ts";
import { type AutoscalerRead, readAutoscaler } from "./autoscaler.ts";
import { checkAutoscaler } from "./check-autoscaler.ts";
import type { Column, FileSources } from "./scenario-file.ts";
import { type Section, sectionOf } from "./section.ts";

/** One column for each entry of the list. */
export function readColumns(
  section: Section,
  workloads: readonly Workload[],
  sources: FileSources,
): readonly Column[] {
  const names = new Set<string>();
  const columns = section.list("autoscalers").map((entry, index) => {
    const of = sectionOf(entry, `autoscalers[${index}]`, section.findings);
    const file = of.text("file");
    const name = of.text("name", file);
    const patch = of.list("patch");
    of.close();
    if (names.has(name)) of.problem("name", "is already used", "use a unique name");
    names.add(name);
    return { name, autoscalers: file === "" ? [] : readFile({ of, file, patch }, workloads, sources) };
  });
  if (columns.length === 0)
    section.problem("autoscalers", "has no entries", "use a value such as { file: hpa.yaml }");
  return columns;
}

function readFile(
  { of, file, patch }: { readonly of: Section; readonly file: string; readonly patch: readonly unknown[] },
  workloads: readonly Workload[],
  sources: FileSources,
): Column["autoscalers"] {
  const found = sources.objects(file, patch);
  if (!found.ok) {
    of.problem("file", found.message, "correct the file or the patch");
    return [];
  }
  if (found.objects.length === 0) of.problem("file", "contains no objects", "use a file with an autoscaler");
  return found.objects.flatMap((object) => {
    const refused = checkAutoscaler(fieldsOf(object));
    for (const problem of refused)
      of.problem(
        "file",
        `has an autoscaler that the API would reject: ${problemsText([problem])}`,
        problem.remedy,
      );
    if (refused.length > 0) return [];
    const read = readAutoscaler(object);
    if (read.ok) return place(read, { of, file, workloads });
    of.problem("file", `has an autoscaler that the API would reject: ${read.message}`, "correct it");
    return [];
  });
}

/** The workload that an autoscaler scales, if it can. */
function place(
  { autoscaler, target }: Extract<AutoscalerRead, { ok: true }>,
  {
    of,
    file,
    workloads,
  }: { readonly of: Section; readonly file: string; readonly workloads: readonly Workload[] },
): Column["autoscalers"] {
  const workload = workloads.findIndex(({ name }) => name === target.name);
  const found = workloads[workload];
  if (found === undefined) {
    const known = workloads.map(({ name }) => name).join(", ");
    of.problem(
      "file",
      `scales ${target.name}, which is not a workload here`,
      `add a workload of that name, or scale one of ${known}`,
    );
    return [];
  }
  const names = new Set(metricsOf(autoscaler).flatMap((metric) => metricIdentifier(metric)?.name ?? []));
  for (const name of names) {
    if (Object.hasOwn(found.metrics, name)) continue;
    of.findings.problems.push({
      path: `workloads[${workload}].metrics`,
      message: `has no ${name}, but ${file} scales on it`,
      remedy: `define it: ${name}: { of: requests, query: rate, window: 1m }`,
    });
  }
  for (const metric of metricsOf(autoscaler)) {
    const resource = resourceName(metric);
    const isUtilization = metricSource(metric)?.target.type === "Utilization";
    if (!isUtilization || (resource !== "cpu" && resource !== "memory")) continue;
    if (found.pod.requests[resource] !== undefined) continue;
    of.findings.problems.push({
      path: `workloads[${workload}].pod.requests`,
      message: `has no ${resource}, but ${file} has a target in percent of it`,
      remedy:
        resource === "cpu" ? "use a value such as { cpu: 500m }" : "use a value such as { memory: 512Mi }",
    });
  }
  return [{ workload, autoscaler }];
}
