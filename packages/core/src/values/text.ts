// Texts that every package makes in the same way.

/** Orders texts by their code units, whatever the locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** "1 pod", "3 pods". */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** A sentence as a part of another. */
export function uncapitalized(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** One word of a shell, whatever it is: a name can hold anything. */
export function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Text inside an element or an attribute of XML. */
export function xmlText(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

const unsigned: ReadonlySet<string> = new Set([
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
]);

/**
 * The message of an error of TLS; what the runtime advises is replaced by the field that names the CA. Of the alert of a
 * server its text is left: the rest differs from time to time.
 */
export function certificateText(code: string | undefined, message: string, field: string): string {
  if (code === undefined || !unsigned.has(code))
    return message.replace(/^.*:SSL routines:[^:]*:([^:]+):.*$/s, "TLS: $1");
  return `${message.split(";")[0] ?? ""}: set ${field} to the file of its CA`;
}
