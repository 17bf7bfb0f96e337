// What one run mutates: a package or a folder of it, all of its mutants or a sample of them.

export interface Scope {
  readonly packageName: string;
  /** Below the package, such as "src/leases". */
  readonly folder: string;
  /** Undefined: all mutants. */
  readonly sample: Sample | undefined;
}

/** A percentage of the mutants, drawn by a seed. */
export interface Sample {
  readonly percent: number;
  readonly seed: number;
}

/** Packages that decide or write. */
export const packages: readonly string[] = [
  "core",
  "autoscaler",
  "kube",
  "metrics-adapter",
  "prometheus",
  "rules",
  "metric-rules",
];

/** Packages whose tests try others, too: users meet what a library does in a program or a command. */
export const packagesAbove: Readonly<Record<string, readonly string[]>> = {
  core: ["decisions", "doctor", "cli"],
  kube: ["observe", "metrics-adapter"],
  prometheus: ["rules", "metrics-adapter"],
  rules: ["metrics-adapter", "cli"],
  "metric-rules": ["metrics-adapter", "cli"],
};

/** Folders whose mutants are all tried. */
export const wholeFolders: readonly Scope[] = [
  { packageName: "core", folder: "src/decide", sample: undefined },
  { packageName: "autoscaler", folder: "src/reconcile", sample: undefined },
  { packageName: "kube", folder: "src/leases", sample: undefined },
];

/** Percent, for all packages together. */
export const goalOfPackages = 80;

/** Percent; undefined where there is none. */
export function goalOf(scope: Scope): number | undefined {
  return wholeFolders.some((one) => nameOf(one) === nameOf(scope)) ? 90 : undefined;
}

export function nameOf({ packageName, folder, sample }: Scope): string {
  const place = folder === "src" ? packageName : `${packageName}/${folder}`;
  return sample === undefined ? place : `${place} (${sample.percent} % of its mutants, seed ${sample.seed})`;
}
