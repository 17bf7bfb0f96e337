// Validates resource names.
import { labelKeyProblems } from "../../../values/selector/label-syntax.ts";

const standardForContainers: ReadonlySet<string> = new Set(["cpu", "memory", "ephemeral-storage"]);

const standard: ReadonlySet<string> = new Set([
  ...standardForContainers,
  "requests.cpu",
  "requests.memory",
  "requests.ephemeral-storage",
  "limits.cpu",
  "limits.memory",
  "limits.ephemeral-storage",
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "storage",
  "requests.storage",
  "services.nodeports",
  "services.loadbalancers",
]);

/** @upstream pkg/apis/core/validation/validation.go#ValidateContainerResourceName */
export function containerResourceProblems(name: string): readonly string[] {
  const problems = [...resourceNameProblems(name)];
  if (!name.includes("/")) {
    const isUsable = standardForContainers.has(name) || name.startsWith("hugepages-");
    if (!isUsable) problems.push("must be a standard resource for containers");
  } else if (!name.includes("kubernetes.io/") && !isExtendedResource(name)) {
    problems.push("doesn't follow extended resource name standard");
  }
  return problems;
}

function resourceNameProblems(name: string): readonly string[] {
  const problems = labelKeyProblems(name);
  if (problems.length > 0) return problems;
  const isStandard =
    standard.has(name) || name.startsWith("hugepages-") || name.startsWith("requests.hugepages-");
  return name.includes("/") || isStandard ? [] : ["must be a standard resource type or fully qualified"];
}

/** Its name must still be sound with the quota's prefix before it. */
function isExtendedResource(name: string): boolean {
  return !name.startsWith("requests.") && labelKeyProblems(`requests.${name}`).length === 0;
}
