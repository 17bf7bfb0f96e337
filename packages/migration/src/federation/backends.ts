// Which adapters become backends, and how their requests are found.
import type { ApiService } from "../release/installed.ts";
import type { InstalledAdapter, Registered } from "./registered.ts";

/** An adapter behind one APIService or more. */
export interface FoundBackend {
  readonly name: string;
  readonly service: { readonly namespace: string; readonly name: string; readonly port: number };
  readonly groups: readonly string[];
  readonly apiServices: readonly ApiService[];
  /** In PEM; undefined: its certificate is not verified now. */
  readonly ca: string | undefined;
  readonly match: object | undefined;
}

/** Adapters that list what they have are found by that list; these do not, or not everything. */
const known: readonly (readonly [name: RegExp, match: object])[] = [
  [/keda/, { labelSelectorKeys: ["scaledobject.keda.sh/name"] }],
  [/datadog/, { metrics: ["datadogmetric@*"] }],
];

/** In the order of their names. Those that lead to us are no backends. */
export function findBackends({ apiServices, adapter, listing }: Registered): readonly FoundBackend[] {
  const byService = new Map<string, ApiService[]>();
  for (const one of apiServices) {
    const { service } = one.spec;
    if (service === undefined || isOwn(one, adapter)) continue;
    const key = `${service.namespace}/${service.name}`;
    byService.set(key, [...(byService.get(key) ?? []), one]);
  }
  const names = new Set<string>();
  return [...byService]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, behind]) => {
      const [first] = behind;
      const service = first?.spec.service;
      if (first === undefined || service === undefined) return [];
      const name = nameOf(service, names);
      const { caBundle } = first.spec;
      return [
        {
          name,
          service: { namespace: service.namespace, name: service.name, port: service.port ?? 443 },
          groups: [...new Set(behind.map(({ spec }) => spec.group ?? ""))].sort(),
          apiServices: behind,
          ca: caBundle === undefined ? undefined : Buffer.from(caBundle, "base64").toString("utf8"),
          match: matchOf(`${service.namespace}/${service.name}`, behind, listing),
        },
      ];
    });
}

/**
 * One that does not list its metrics in each of its groups has to be matched. It owned all of the group, so that all which
 * is not ours goes to it: nothing that was served is lost.
 */
function matchOf(
  service: string,
  behind: readonly ApiService[],
  listing: ReadonlySet<string>,
): object | undefined {
  const match = known.find(([pattern]) => pattern.test(service))?.[1];
  if (match !== undefined) return match;
  return behind.every(({ metadata }) => listing.has(metadata.name)) ? undefined : { metrics: ["*"] };
}

/** Whether an APIService leads to our adapter. */
export function isOwn({ spec: { service } }: ApiService, { service: own }: InstalledAdapter): boolean {
  return service?.namespace === own.namespace && service.name === own.name;
}

/** The namespace where it names one adapter, as it mostly does. */
function nameOf(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  names: Set<string>,
): string {
  const choices = [namespace, name, `${namespace}-${name}`].map((text) => label(text));
  let chosen = choices.find((text) => !names.has(text));
  for (let number = 2; chosen === undefined; number += 1) {
    const numbered = label(namespace, `-${number}`);
    if (!names.has(numbered)) chosen = numbered;
  }
  names.add(chosen);
  return chosen;
}

/** A DNS label: as many letters as there is room for, and the end. */
function label(text: string, end = ""): string {
  return text.slice(0, 63 - end.length).replace(/[^a-z0-9]+$/, "") + end;
}
