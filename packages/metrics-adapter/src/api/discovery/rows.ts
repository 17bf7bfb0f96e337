// One row of a list of resources.

/** metav1.APIResource, in the order in which Go writes it. */
export interface ApiResource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly kind: string;
  readonly verbs: readonly string[];
}

/** Exactly get: with list or watch, garbage collection, quota and namespace deletion would try to use them. */
const metricVerbs: readonly string[] = ["get"];

export function metricRow(name: string, kind: string, namespaced: boolean): ApiResource {
  return { name, singularName: "", namespaced, kind, verbs: metricVerbs };
}

export function byName(a: ApiResource, b: ApiResource): number {
  return a.name < b.name ? -1 : Number(a.name > b.name);
}
