// Lists and counts in findings.

const maxShown = 5;

/** "a, b and 7 more". */
export function printSome(names: readonly string[], max = maxShown): string {
  if (names.length <= max) return names.join(", ");
  return `${names.slice(0, max).join(", ")} and ${names.length - max} more`;
}
