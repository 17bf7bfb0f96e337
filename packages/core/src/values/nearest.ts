// Names that may have been meant.

const maxNames = 2000;
const maxLength = 253;

/** The few names that differ least from a wrong one, best first; far ones are left out. */
export function nearest(wrong: string, names: readonly string[], count = 3): readonly string[] {
  const wanted = wrong.slice(0, maxLength).toLowerCase();
  const limit = Math.max(2, Math.ceil(wanted.length / 3));
  return names
    .slice(0, maxNames)
    .map((name) => ({ name, distance: distanceOf(wanted, name.toLowerCase()) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, count)
    .map(({ name }) => name);
}

/** What contains the other is near, however long it is. */
function distanceOf(wanted: string, name: string): number {
  if (wanted.length > 2 && (name.includes(wanted) || wanted.includes(name))) return 1;
  if (Math.abs(wanted.length - name.length) > wanted.length / 3 + 2) return Infinity;
  let row = Array.from({ length: name.length + 1 }, (_, index) => index);
  for (let i = 1; i <= wanted.length; i++) {
    const next = [i];
    for (let j = 1; j <= name.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (wanted[i - 1] === name[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, substitution));
    }
    row = next;
  }
  return row[name.length] ?? Infinity;
}
