// Who may import whom: the table of the architecture, type imports included.
import { globSync, readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";

const anything = Symbol("anything");

const mayImport: Readonly<Record<string, readonly string[] | typeof anything>> = {
  core: [],
  prometheus: [],
  kube: [],
  "metrics-adapter": ["@plimsoll/core/quantity", "@plimsoll/prometheus", "@plimsoll/kube"],
  autoscaler: ["@plimsoll/core", "@plimsoll/kube"],
  sandbox: ["@plimsoll/kube"],
  cli: [
    "@plimsoll/core",
    "@plimsoll/prometheus",
    "@plimsoll/kube",
    "@plimsoll/metrics-adapter/rules",
    "@plimsoll/autoscaler/schedules",
  ],
  conformance: ["@plimsoll/core"],
  images: [],
  e2e: anything,
};

/** Libraries that have one home only. */
const homes: Readonly<Record<string, readonly string[]>> = {
  "@kubernetes/client-node": ["kube"],
  "node-fetch": ["prometheus"],
};

/** Packages whose source runs in a browser. */
const pure = new Set(["core"]);

const statement =
  /(?:^|\n)\s*(?:import|export)\s[^;]*?from\s*"([^"]+)"|\bimport\s*\(\s*"([^"]+)"|(?:^|\n)import\s+"([^"]+)"/g;

function violationsOf(file: string): readonly string[] {
  const owner = file.split("/")[1] ?? "";
  const inSource = file.split("/")[2] === "src";
  const allowed = mayImport[owner];
  if (allowed === undefined) return [`${file}: package "${owner}" has no row in the table`];
  const found: string[] = [];
  for (const match of readFileSync(file, "utf8").matchAll(statement)) {
    const target = match[1] ?? match[2] ?? match[3] ?? "";
    const complaint = judge(target);
    if (complaint !== undefined) found.push(`${file}: "${target}" ${complaint}`);
  }
  return found;

  function judge(target: string): string | undefined {
    if (target.startsWith(".")) {
      const inside = relative(`packages/${owner}`, resolve(dirname(file), target));
      return inside.startsWith("..") ? "reaches into another package" : undefined;
    }
    if (target.startsWith("@plimsoll/")) {
      const own = target === `@plimsoll/${owner}` || target.startsWith(`@plimsoll/${owner}/`);
      if (own && !inSource) return undefined;
      // Doubles are for tests.
      if (target.endsWith("/testing") && inSource) return "is for tests";
      if (
        allowed === anything ||
        allowed?.some((entry) => target === entry || target.startsWith(`${entry}/`))
      ) {
        return undefined;
      }
      return `is not in the table for ${owner}`;
    }
    if (inSource && pure.has(owner)) return "is not for a package that runs in a browser";
    const library = Object.keys(homes).find((name) => target === name || target.startsWith(`${name}/`));
    if (library !== undefined && inSource && !homes[library]?.includes(owner)) return "has another home";
    return undefined;
  }
}

const files = globSync("packages/*/{src,test,cluster,bench}/**/*.ts").map((file) =>
  file.replaceAll("\\", "/"),
);
const violations = files.flatMap(violationsOf);
for (const violation of violations) console.log(violation);
console.log(`${files.length} files, ${violations.length} forbidden imports`);
if (violations.length > 0 || files.length === 0) process.exitCode = 1;
