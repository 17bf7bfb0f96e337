/** An instant on the wire: RFC 3339 text, or a Date-like object as Kubernetes clients produce them. */
export type Timestamp = string | { toISOString(): string };
