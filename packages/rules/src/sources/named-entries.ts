// Reads a file that is one list of entries with unique names.
import { openDocument, type Place, type RulesDocument } from "../document/document.ts";
import type { Problem } from "../document/problem.ts";

/** What a file gives, or every problem that stops it from loading, in the order of the file. */
export type Loaded<C> =
  | { readonly ok: true; readonly config: C; readonly warnings: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly warnings: readonly Problem[] };

interface Named {
  readonly name: string;
}

/** The list of a file. */
export interface NamedEntries<E extends Named, F extends string> {
  /** In the plural; messages use it too. */
  readonly field: F;
  /** What an entry cannot be without, in words. */
  readonly needed: string;
  readonly most: number;
  readonly read: (document: RulesDocument, place: Place) => E;
}

/** Reads every entry, whatever is wrong with the others. */
export function loadNamedEntries<E extends Named, F extends string>(
  text: string,
  { field, needed, most, read }: NamedEntries<E, F>,
): Loaded<Readonly<Record<F, readonly E[]>>> {
  const document = openDocument(text);
  const { problems, warnings, problem } = document;
  const entries = problems.length === 0 ? entriesOf() : [];
  return problems.length === 0
    ? { ok: true, config: { [field]: entries } as Record<F, readonly E[]>, warnings }
    : { ok: false, problems: problems.sort((a, b) => a.line - b.line || a.column - b.column), warnings };

  function entriesOf(): readonly E[] {
    const list = document.fields(document.root, [field])[field];
    const places = document.items(list);
    if (places.length === 0 && problems.length === 0)
      problem(list, `there are no ${field}: list at least one, with ${needed}`);
    if (places.length > most) problem(list, `there are ${places.length} ${field}: ${most} are allowed`);
    const found = places.slice(0, most).map((place) => ({ place, entry: read(document, place) }));
    const names = new Set<string>();
    for (const { place, entry } of found) {
      const { name } = entry;
      const why = `the name ${JSON.stringify(name)} is taken by another ${field.slice(0, -1)}`;
      if (name !== "" && names.has(name)) problem(place, `${why}: choose another one`);
      names.add(name);
    }
    return found.map(({ entry }) => entry);
  }
}
