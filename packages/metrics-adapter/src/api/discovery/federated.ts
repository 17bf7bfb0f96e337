// The resources of a version together with those that other adapters list. Our own win.
import type { ListedNames } from "@plimsoll/federation";
import { createRowsBuilder, type Rows } from "./rows.ts";

/** What an empty list shows, which others replace. */
const placeholders: ReadonlySet<string> = new Set(["custommetrics", "externalmetrics"]);

/** Merged again when one of both changes: the same array means the same rows. */
export function withFederated(
  own: () => readonly Rows[],
  federated: () => ListedNames,
  kind: string,
): () => readonly Rows[] {
  let last: { own: readonly Rows[]; names: ListedNames; rows: readonly Rows[] } | undefined;
  return () => {
    const [ours, names] = [own(), federated()];
    if (last?.own !== ours || last.names !== names)
      last = { own: ours, names, rows: merge(ours, names, kind) };
    return last.rows;
  };
}

function merge(own: readonly Rows[], listed: ListedNames, kind: string): readonly Rows[] {
  if (listed.size === 0) return own;
  const builder = createRowsBuilder(kind);
  for (const { prefix, isNamespaced, names } of own)
    for (const name of names) if (!placeholders.has(prefix + name)) builder.add(prefix, name, isNamespaced);
  for (const [name, isNamespaced] of listed) {
    const prefix = name.slice(0, name.indexOf("/") + 1);
    const scope = prefix === "" ? isNamespaced : (builder.scopeOf(prefix) ?? isNamespaced);
    builder.add(prefix, name.slice(prefix.length), scope);
  }
  return builder.rows();
}
