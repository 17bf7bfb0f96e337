/**
 * Whether a resourceVersion is certainly older than another. Both must be decimal numbers without leading zeros of any
 * length; anything else is not comparable, and the result is false.
 * @upstream k8s.io/apimachinery pkg/util/resourceversion CompareResourceVersion (KEP-5504)
 */
export function isOlder(version: string | undefined, than: string | undefined): boolean {
  if (version === undefined || than === undefined) return false;
  if (!wellFormed.test(version) || !wellFormed.test(than)) return false;
  return version.length === than.length ? version < than : version.length < than.length;
}

const wellFormed = /^[1-9]\d*$/;
