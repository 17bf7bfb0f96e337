/** A resource as discovery describes it. */
export interface ResourceInfo {
  /** "" for the core group. */
  readonly group: string;
  readonly version: string;
  /** The plural, such as "deployments". */
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly hasScale: boolean;
  readonly shortNames: readonly string[];
}

/** Where a resource lives on the server; without a name, its collection. */
export function resourcePath(
  info: Pick<ResourceInfo, "group" | "version" | "resource">,
  namespace?: string,
  name?: string,
  subresource?: string,
): string {
  const root = info.group === "" ? `/api/${info.version}` : `/apis/${info.group}/${info.version}`;
  const parts = [
    ...(namespace === undefined || namespace === "" ? [] : ["namespaces", namespace]),
    info.resource,
    ...(name === undefined ? [] : [name]),
    ...(subresource === undefined ? [] : [subresource]),
  ];
  return `${root}/${parts.map(encodeURIComponent).join("/")}`;
}
