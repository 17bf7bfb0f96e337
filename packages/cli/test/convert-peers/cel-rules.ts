/** The CEL rules of the WorkloadAutoscaler's definition that a converter could break, in TypeScript. */

type Fields = Readonly<Record<string, unknown>>;

interface Spec {
  readonly minReplicas?: number;
  readonly maxReplicas: number;
  readonly metrics?: readonly Fields[];
  readonly schedules?: readonly Fields[];
}

const sources = ["resource", "containerResource", "pods", "object", "external"] as const;

/** What the API server would refuse, by the messages of the rules. */
export function celViolations(object: Fields): readonly string[] {
  const spec = object["spec"] as Spec;
  const { minReplicas, maxReplicas, metrics = [], schedules = [] } = spec;
  const problems: string[] = [];
  const check = (holds: boolean, message: string) => {
    if (!holds) problems.push(message);
  };
  check(minReplicas === undefined || maxReplicas >= minReplicas, "maxReplicas below minReplicas");
  const hasExternal = metrics.some(({ type }) => type === "Object" || type === "External");
  check(
    minReplicas === undefined || minReplicas > 0 || (metrics.length > 0 ? hasExternal : schedules.length > 0),
    "minReplicas 0 needs an Object or External metric, or schedules and no metrics",
  );
  for (const entry of schedules) {
    const { minReplicas: floor = 0, replicas = 0 } = entry as { minReplicas?: number; replicas?: number };
    check(Math.max(floor, replicas) <= maxReplicas, "schedules must not set more than maxReplicas");
    check("end" in entry !== "duration" in entry, "exactly one of end and duration");
    check("replicas" in entry !== ("minReplicas" in entry || "maxReplicas" in entry), "replicas or limits");
  }
  const names = schedules.map(({ name }) => name);
  check(new Set(names).size === names.length, "names of schedules are unique");
  for (const metric of metrics) problems.push(...metricViolations(metric));
  return problems;
}

const fieldOf: Readonly<Record<string, string>> = {
  Utilization: "averageUtilization",
  Value: "value",
  AverageValue: "averageValue",
};

function metricViolations(metric: Fields): readonly string[] {
  const set = sources.filter((name) => metric[name] !== undefined);
  const [only] = set;
  const isNamed = set.length === 1 && only?.toLowerCase() === String(metric["type"]).toLowerCase();
  const { target } = (only === undefined ? {} : metric[only]) as { readonly target?: Fields };
  const fields = Object.keys(target ?? {}).filter((name) => name !== "type");
  const isFit = fields.length === 1 && fields[0] === fieldOf[String(target?.["type"])];
  return [
    ...(isNamed ? [] : ["must have the source that matches its type"]),
    ...(isFit ? [] : ["must set exactly the field of its type"]),
    ...policyViolations(metric),
  ];
}

function policyViolations({ type, onMetricFailure }: Fields): readonly string[] {
  const {
    policy = "Block",
    value,
    replicas,
    allowScaleDown,
    afterSeconds = 0,
  } = (onMetricFailure ?? {}) as Fields;
  if (allowScaleDown === true && policy !== "Fallback")
    return ["allowScaleDown applies to policy Fallback only"];
  if (policy === "Block" && Number(afterSeconds) > 0) return ["afterSeconds doesn't apply to policy Block"];
  if (policy === "Assume" && (value === undefined || type === "Resource")) return ["Assume needs value"];
  return policy === "Fallback" && replicas === undefined ? ["Fallback needs replicas"] : [];
}
