/** A namespace's name: an RFC 1123 label. Anything else cannot exist, and must not reach a query. */
export function isNamespaceName(name: string): boolean {
  return /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/.test(name);
}

/** A name that an object can have. Quotes, braces, backslashes and blanks are in none. */
export function isObjectName(name: string): boolean {
  return name.length <= 253 && /^[A-Za-z0-9](?:[A-Za-z0-9:._-]*[A-Za-z0-9])?$/.test(name);
}
