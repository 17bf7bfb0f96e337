// A hash of keys, for their place in the sync period and their shard.

/** FNV-1a over UTF-16 units, 32 bits: where a key is in its period, and in which shard. */
export function hash(value: string): number {
  let sum = 0x811c9dc5;
  for (let index = 0; index < value.length; index++) {
    sum ^= value.charCodeAt(index);
    sum = Math.imul(sum, 0x01000193);
  }
  return sum >>> 0;
}
