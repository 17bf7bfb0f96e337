// Replaces names by stable words, for --redact names.

/** What a name is of; the word begins with it. */
export type NameKind = "namespace" | "autoscaler" | "target" | "pod" | "node";

export type Names = ReturnType<typeof createNames>;

const known = new Set(["default", "kube-system", "kube-public", "kube-node-lease", ""]);

/** The words are numbered in the order in which the names were added. */
export function createNames() {
  const words = new Map<string, string>();
  const counts = new Map<NameKind, number>();
  let pattern: RegExp | undefined;
  return {
    /** Names that every cluster has stay. */
    add(kind: NameKind, name: string | undefined = ""): void {
      if (known.has(name) || words.has(name)) return;
      const count = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, count);
      words.set(name, `${kind}-${count}`);
      pattern = undefined;
    },
    /** With each name that was added replaced by its word. */
    replaced(text: string): string {
      if (words.size === 0) return text;
      pattern ??= patternOf([...words.keys()]);
      return text.replaceAll(pattern, (name) => words.get(name) ?? name);
    },
  };
}

/** Whole names only, the longest first: one may hold another. */
function patternOf(names: readonly string[]): RegExp {
  const alternatives = names
    .toSorted((a, b) => b.length - a.length)
    .map((name) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`(?<![A-Za-z0-9])(?:${alternatives.join("|")})(?![A-Za-z0-9])`, "g");
}
