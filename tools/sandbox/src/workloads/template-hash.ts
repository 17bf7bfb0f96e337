// Hashes pod templates, and makes the suffixes of generated names.
// The alphabet has no vowels and no digits that look like them, so that no word comes out by chance.
const alphabet = "bcdfghjklmnpqrstvwxz2456789";

/** A short name for the content of a pod template; equal templates give equal names. */
export function templateHash(template: unknown): string {
  if (typeof template !== "object" || template === null || !Object.isFrozen(template))
    return hashOf(template);
  let hash = hashes.get(template);
  if (hash === undefined) hashes.set(template, (hash = hashOf(template)));
  return hash;
}

/** Of templates in the store, which do not change. */
const hashes = new WeakMap<object, string>();

function hashOf(template: unknown): string {
  return String(fnv1a(canonicalJson(template))).replaceAll(/\d/g, (digit) => letterAt(digit.charCodeAt(0)));
}

/** Five letters that follow from a seed and a serial number, as the end of a generated name. */
export function nameSuffix(seed: string, serial: number): string {
  let hash = fnv1a(`${seed}#${serial}`);
  let suffix = "";
  for (let place = 0; place < 5; place += 1) {
    suffix += letterAt(hash);
    hash = Math.floor(hash / alphabet.length);
  }
  return suffix;
}

function letterAt(number: number): string {
  return alphabet.charAt(number % alphabet.length);
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

// Keys sorted, and without what decodes to nothing: clients send `null` and `{}` for fields that are not set.
function canonicalJson(value: unknown): string {
  return JSON.stringify(canonical(value) ?? {});
}

function canonical(value: unknown): unknown {
  if (value === null || value === "") return undefined;
  if (typeof value !== "object") return value;
  if (Array.isArray(value))
    return value.length === 0 ? undefined : value.map((item) => canonical(item) ?? null);
  const entries = Object.entries(value)
    .map(([key, part]) => [key, canonical(part)] as const)
    .filter(([, part]) => part !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
