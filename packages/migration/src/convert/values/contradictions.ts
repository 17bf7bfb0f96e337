// What values mean together: where both charts would do something else with the same ones.
import { type Fields, fieldsOf, type Remark } from "@plimsoll/core/internal/values";

export interface Contradictions {
  readonly notes: readonly Remark[];
  readonly problems: readonly Remark[];
  /** Values that have no effect in the old chart, and are refused or have one in the new chart. */
  readonly isLeftOut: (path: readonly string[]) => boolean;
  /** Values of the new chart that the old ones come to. */
  readonly replaced: readonly (readonly [path: readonly string[], value: unknown])[];
}

/** Looks at the values of prometheus-adapter's chart. */
export function findContradictions(values: Fields): Contradictions {
  const left = new Set(nulls(values));
  const notes: Remark[] = [];
  const replaced: [readonly string[], unknown][] = [];
  const [prometheus, rules, tls, certManager, budget] = [
    "prometheus",
    "rules",
    "tls",
    "certManager",
    "podDisruptionBudget",
  ].map((key) => fieldsOf(values[key])) as [Fields, Fields, Fields, Fields, Fields];

  if (Object.hasOwn(prometheus, "port")) {
    // Without one none is added to the URL, which null or "" say there.
    left.add("prometheus.port");
    replaced.push([["prometheus", "port"], Number(prometheus["port"] ?? 0)]);
  }
  if (isSet(rules["existing"])) {
    for (const key of ["default", "custom", "external", "resource"]) left.add(`rules.${key}`);
    const remedy = "copy the ConfigMap to the namespace of the new release, if it is another one";
    notes.push({ path: "rules.existing", value: rules["existing"], message: "is a ConfigMap", remedy });
  }
  const isGiven = tls["enable"] === true && certManager["enabled"] !== true;
  if (!isGiven) for (const key of Object.keys(tls)) left.add(`tls.${key}`);
  else notes.push(ofCertificate);
  for (const key of ["minAvailable", "maxUnavailable"]) {
    if (!isSet(budget[key])) left.add(`podDisruptionBudget.${key}`);
  }
  if (isSet(budget["minAvailable"])) {
    left.add("podDisruptionBudget.maxUnavailable");
    replaced.push([["adapter", "podDisruptionBudget", "maxUnavailable"], null]);
  }
  return {
    notes: [...notes, ...probeNotes(values)],
    problems: argumentProblems(values["extraArguments"]),
    isLeftOut: (path) => left.has(path.join(".")),
    replaced,
  };
}

const ofCertificate: Remark = {
  path: "tls.certificate",
  message: "is for the Service of the old release",
  remedy: "use one for the new Service, or remove tls: the adapter then creates its own and renews it",
};

/** As templates of Helm see it. */
function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "" && value !== 0 && value !== false;
}

/** Helm takes null for "no default", which these do without. */
const mayBeNull = ["podSecurityContext", "securityContext"];

function nulls(values: Fields): readonly string[] {
  return Object.entries(values).flatMap(([key, value]) => {
    if (value === null) return mayBeNull.includes(key) ? [] : [key];
    return Object.entries(fieldsOf(value)).flatMap(([field, part]) =>
      part === null ? [`${key}.${field}`] : [],
    );
  });
}

function argumentProblems(value: unknown): readonly Remark[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((argument, index) =>
    /^--tls-(?:cert|private-key)-file\b/.test(String(argument))
      ? [
          {
            path: `extraArguments[${index}]`,
            value: argument,
            message: "does not match the certificate that the chart creates",
            remedy: "remove it, or put the certificate into a Secret and set adapter.tls.existingSecret",
          },
        ]
      : [],
  );
}

function probeNotes(values: Fields): readonly Remark[] {
  const probe = fieldsOf(values["readinessProbe"]);
  const { path } = fieldsOf(probe["httpGet"]);
  return path === "/healthz"
    ? [
        {
          path: "readinessProbe.httpGet.path",
          value: path,
          message: "does not wait for the metrics to be listed",
          remedy: "remove readinessProbe: the chart's probe queries /readyz",
        },
      ]
    : [];
}
