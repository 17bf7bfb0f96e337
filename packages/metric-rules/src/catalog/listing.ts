// The metrics that discovery shows: those that any namespace has.
import { groupResourceOf, type MetricInfo } from "@plimsoll/rules";
import type { CompiledRule } from "../compile/compiled.ts";

type Claims = ReadonlyMap<string, CompiledRule>;

export function createListing() {
  const listed = new Map<string, { readonly info: MetricInfo | string; namespaces: number }>();
  let lists: { readonly infos: readonly MetricInfo[]; readonly names: readonly string[] } | undefined;

  const add = (key: string, rule: CompiledRule): void => {
    const known = listed.get(key);
    if (known !== undefined) {
      known.namespaces += 1;
      return;
    }
    listed.set(key, { info: infoOf(rule), namespaces: 1 });
    lists = undefined;
  };

  const remove = (key: string): void => {
    const known = listed.get(key);
    if (known === undefined) return;
    known.namespaces -= 1;
    if (known.namespaces > 0) return;
    listed.delete(key);
    lists = undefined;
  };

  const current = (): NonNullable<typeof lists> => {
    if (lists !== undefined) return lists;
    const infos: MetricInfo[] = [];
    const names: string[] = [];
    for (const { info } of listed.values()) {
      if (typeof info === "string") names.push(info);
      else infos.push(info);
    }
    lists = { infos, names };
    return lists;
  };

  return {
    /** What a namespace has changed. The work is in proportion to what this namespace has. */
    replace(former: Claims | undefined, next: Claims | undefined): void {
      for (const [key, rule] of next ?? []) if (former?.has(key) !== true) add(key, rule);
      for (const key of former?.keys() ?? []) if (next?.has(key) !== true) remove(key);
    },
    /** The same array until a metric comes or goes. */
    customInfos: (): readonly MetricInfo[] => current().infos,
    externalNames: (): readonly string[] => current().names,
  };
}

function infoOf({ object, metric }: CompiledRule): MetricInfo | string {
  if (object === undefined) return metric;
  return { groupResource: groupResourceOf(object.info), metric, namespaced: true };
}
