/**
 * An address as it may be shown: without user, password, query and fragment. It need not be a valid address, since
 * invalid ones are what messages are about. Where user and host cannot be separated, the host is hidden as well.
 */
export function redactUrl(address: string): string {
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(address)?.[0] ?? "";
  const rest = address.slice(scheme.length);
  const at = rest.lastIndexOf("@");
  const query = rest.search(/[?#]/);
  // Either the query holds an "@", or the password holds a "?".
  if (query >= 0 && query < at) return `${scheme}***`;
  const place = query < 0 ? rest : `${rest.slice(0, query)}${rest.charAt(query)}***`;
  return scheme + (at < 0 ? withoutPassword(place) : `***${place.slice(at)}`);
}

/** Text between colon and path that is no port: perhaps a password whose "@" was forgotten. */
function withoutPassword(place: string): string {
  return place.replace(/^([^/?#:[]*):(?!\d{0,5}(?:[/?#]|$))[^]*$/, "$1:***");
}
