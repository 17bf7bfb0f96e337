// Reads and changes bills of materials.
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** What is read and changed of a CycloneDX document. */
export interface CycloneDx {
  readonly metadata: { readonly component: { readonly "bom-ref": string } };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

interface Component {
  readonly type: string;
  readonly name: string;
  readonly group?: string;
  readonly version?: string;
  readonly "bom-ref": string;
  readonly description?: string;
  readonly purl?: string;
  readonly licenses?: readonly object[];
}

/** Without modules that plugins of the bundler made up; what they depend on, their importers do. */
export function withoutVirtual(sbom: CycloneDx): CycloneDx {
  const virtual = new Set(
    sbom.components.filter(({ purl }) => purl === undefined).map((component) => component["bom-ref"]),
  );
  const behind = (ref: string): readonly string[] =>
    virtual.has(ref) ? (sbom.dependencies.find((one) => one.ref === ref)?.dependsOn ?? []) : [ref];
  return {
    ...sbom,
    components: sbom.components.filter((component) => !virtual.has(component["bom-ref"])),
    dependencies: sbom.dependencies
      .filter(({ ref }) => !virtual.has(ref))
      .map(({ ref, dependsOn }) => ({
        ref,
        ...(dependsOn === undefined ? {} : { dependsOn: [...new Set(dependsOn.flatMap(behind))] }),
      })),
  };
}

/** The runtime is not a package of the bundle, and the first thing that a scanner has to know of. */
export function withRuntime(sbom: CycloneDx, version: string): CycloneDx {
  const purl = `pkg:generic/node@${version}`;
  const licenses = [{ license: { id: "MIT" } }];
  const node = { type: "platform", name: "node", version, "bom-ref": purl, purl, licenses };
  return { ...sbom, components: [...sbom.components, node] };
}

interface PackageDescription {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** Adds the packages in these folders, which the bundle of the program does not have: those of the page that it serves. */
export function withPackages(sbom: CycloneDx, folders: readonly string[]): CycloneDx {
  const described = folders.map(
    (folder) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as PackageDescription,
  );
  const known = new Map(sbom.components.map((component) => [identityOf(component), component["bom-ref"]]));
  const added = described.filter((one) => !known.has(`${one.name}@${one.version}`)).map(componentOf);
  for (const component of added) known.set(identityOf(component), component["bom-ref"]);
  const refs = new Map(
    described.map(({ name, version }) => [name, known.get(`${name}@${version}`) ?? ""] as const),
  );
  const dependencies = described
    .filter(({ name }) => added.some((component) => component["bom-ref"] === refs.get(name)))
    .map(({ name, dependencies: wanted = {} }) => ({
      ref: refs.get(name) ?? "",
      dependsOn: Object.keys(wanted).flatMap((one) => refs.get(one) ?? []),
    }));
  const root = sbom.metadata.component["bom-ref"];
  const below = new Set(dependencies.flatMap(({ dependsOn }) => dependsOn));
  const direct = dependencies.map(({ ref }) => ref).filter((ref) => !below.has(ref));
  return {
    ...sbom,
    components: [...sbom.components, ...added],
    dependencies: [
      ...sbom.dependencies.map((one) =>
        one.ref === root ? { ...one, dependsOn: [...(one.dependsOn ?? []), ...direct] } : one,
      ),
      ...dependencies,
    ],
  };
}

/** "@scope/name@version". */
function identityOf({ group, name, version }: Component): string {
  return `${group === undefined ? "" : `${group}/`}${name}@${version}`;
}

function componentOf({ name, version, description, license }: PackageDescription): Component {
  const [group, bare] = name.startsWith("@") ? name.split("/") : [undefined, name];
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  return {
    type: "library",
    name: bare ?? name,
    ...(group === undefined ? {} : { group }),
    version,
    "bom-ref": purl,
    ...(description === undefined ? {} : { description }),
    purl,
    ...(license === undefined ? {} : { licenses: [licenseOf(license)] }),
  };
}

/** An SPDX identifier, or an expression of several. */
function licenseOf(license: string): object {
  const acknowledgement = "declared";
  return license.includes(" ")
    ? { expression: license, acknowledgement }
    : { license: { id: license, acknowledgement } };
}
