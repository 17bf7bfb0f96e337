// Hides secrets in text.
import { hideSecrets } from "./secrets.ts";

const HIDDEN = "***";

/**
 * A message as it may be shown: without the secrets that are given or registered, in any common encoding, and without what looks
 * like one: user and password of an address, the token behind an authentication scheme, and the value of a parameter
 * or JSON field whose name says that it is secret. Redact before a text is cut: the rest of a secret is not recognized.
 */
export function redact(text: string, secrets: Iterable<string> = []): string {
  let shown = hideSecrets(text, secrets);
  if (shown.includes("://")) shown = withoutUserinfo(shown.replaceAll(passwordWithBlanks, hidePassword));
  return shown
    .replaceAll(secretField, `$1$2${HIDDEN}`)
    .replaceAll(/\b(Bearer|Basic|Negotiate|Digest)(\s{1,8})[^\s"'\\,;]+/gi, hideUnlessWord)
    .replaceAll(
      /((?:password|passwd|secret|token|api[-_]?key|credential|signature)=)(?!~)[^&\s"'\\]+/gi,
      `$1${HIDDEN}`,
    );
}

/**
 * What stands behind the colon of an address and is not a port: a password, up to the last "@" that may be its end. It may
 * hold blanks, and "@" may be forgotten.
 */
const passwordWithBlanks =
  /(:\/\/[^\s/?#:@"'`<>\\[\]]{0,256}:)(?!\d{0,5}(?:[/?#\s"'`<>\\,;.:)\]}]|$))(?:[^"\\]{0,256}@|[^\s"'`<>\\]+)/g;

function hidePassword(match: string, start: string): string {
  return match.endsWith("@") ? `://${HIDDEN}@` : start + HIDDEN;
}

const secretName = "(?:password|passwd|token|api[-_]?key|client[-_]?secret|client-key-data)";
/** The start of a value in JSON, and in JSON that is a text of other JSON. */
const secretField = new RegExp(
  String.raw`(${secretName}"\s{0,8}:\s{0,8}")(?:[^"\\]|\\.)+|(${secretName}\\"\s{0,8}:\s{0,8}\\")(?:[^"\\]|\\[^"])+`,
  "gi",
);

/** "bearer token" in a sentence is not a credential. */
function hideUnlessWord(match: string, scheme: string, blank: string): string {
  return /(?:tokens?|auth|authentication|credentials?|header)[.:)]?$/i.test(match)
    ? match
    : scheme + blank + HIDDEN;
}

/** Within each run of characters that an address may have: everything between "://" and the last "@". */
function withoutUserinfo(text: string): string {
  return text
    .split(/([\s"'`<>\\]+)/)
    .map((run) => {
      const start = run.indexOf("://");
      const at = run.lastIndexOf("@");
      return start < 0 || at < start ? run : `${run.slice(0, start + 3)}${HIDDEN}${run.slice(at)}`;
    })
    .join("");
}

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

/** Text between colon and path that is not a port: perhaps a password whose "@" was forgotten. */
function withoutPassword(place: string): string {
  return place.replace(/^([^/?#:[]*):(?!\d{0,5}(?:[/?#]|$))[^]*$/, "$1:***");
}
