/** What is read and changed of a CycloneDX document. */
export interface CycloneDx {
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

interface Component {
  readonly type: string;
  readonly name: string;
  readonly group?: string;
  readonly version?: string;
  readonly "bom-ref": string;
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

/** The runtime is no package of the bundle, and the first thing that a scanner has to know of. */
export function withRuntime(sbom: CycloneDx, version: string): CycloneDx {
  const purl = `pkg:generic/node@${version}`;
  const licenses = [{ license: { id: "MIT" } }];
  const node = { type: "platform", name: "node", version, "bom-ref": purl, purl, licenses };
  return { ...sbom, components: [...sbom.components, node] };
}
