/**
 * Whether a version of a list is certainly older than another. Versions are opaque, but where both are plain
 * numbers they come from one counter, and a server that answers with less has gone back in time.
 */
export function isOlder(version: string, than: string): boolean {
  if (!/^\d{1,19}$/.test(version) || !/^\d{1,19}$/.test(than)) return false;
  return BigInt(version) < BigInt(than);
}
