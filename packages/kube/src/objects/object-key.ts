/** "NAMESPACE/NAME", or "/NAME" for what has no namespace: neither part can hold a slash. */
export function objectKey(namespace: string | undefined, name: string): string {
  return `${namespace ?? ""}/${name}`;
}
