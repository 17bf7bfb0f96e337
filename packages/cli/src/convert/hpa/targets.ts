// Findings about metric targets of an HPA that is converted.
import type { Finding, Json } from "../source.ts";

const sources = ["resource", "containerResource", "pods", "object", "external"] as const;
const fieldOf: Readonly<Record<string, string>> = {
  Utilization: "averageUtilization",
  Value: "value",
  AverageValue: "averageValue",
};

/** An HPA's target may contradict its type, which the built-in controller passes over; here it may not. */
export function targetFindings(hpa: Json): readonly Finding[] {
  const { metrics } = (hpa["spec"] ?? {}) as { readonly metrics?: readonly Json[] };
  return (metrics ?? []).flatMap((metric, index) =>
    sources.flatMap((source) => {
      const { target } = (metric[source] ?? {}) as { readonly target?: Json };
      return target === undefined
        ? []
        : targetTypeFindings(target, `spec.metrics[${index}].${source}.target`);
    }),
  );
}

function targetTypeFindings(target: Json, path: string): readonly Finding[] {
  const type = String(target["type"]);
  const wanted = fieldOf[type];
  const set = Object.entries(fieldOf).filter(([, field]) => target[field] !== undefined);
  if (wanted === undefined || set.length === 0 || (set.length === 1 && set[0]?.[1] === wanted)) return [];
  const named = set.map(([, field]) => field).join(" and ");
  const others = set.map(([name]) => name).join(" or ");
  return [
    {
      path: `${path}.type`,
      value: type,
      message: `goes with ${wanted} alone, and ${named} ${set.length === 1 ? "is" : "are"} set`,
      remedy:
        set.length === 1
          ? `write type: ${others}`
          : `keep one of them, with its type (${others}); the built-in controller takes ${set.some(([, field]) => field === wanted) ? wanted : (set[0]?.[1] ?? "")}`,
    },
  ];
}
