// Hides secrets in text.
const HIDDEN = "***";
/** Shorter ones would hide parts of ordinary words, and are no secrets. */
const MIN_SECRET_LENGTH = 4;

/**
 * A message as it may be shown: without the secrets that are given, in any common encoding, and without what looks
 * like one: user and password of an address, the token behind an authentication scheme, and the value of a parameter
 * or JSON field whose name says that it is secret. Redact before a text is cut: the rest of a secret is not recognized.
 */
export function redact(text: string, secrets: Iterable<string> = []): string {
  let shown = text;
  for (const form of formsOf(secrets)) shown = shown.replaceAll(form, HIDDEN);
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
 * What stands behind the colon of an address and is no port: a password, up to the last "@" that may be its end. It may
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

/** Longest first: one secret may hold another. */
function formsOf(secrets: Iterable<string>): readonly string[] {
  const forms = new Set<string>();
  for (const secret of secrets) {
    if (secret.length < MIN_SECRET_LENGTH) continue;
    const quoted = JSON.stringify(secret).slice(1, -1);
    for (const form of [
      secret,
      secret.trim(),
      quoted,
      encoded(secret),
      encoded(secret).replaceAll("%20", "+"),
      asFormField(encoded(secret)),
    ]) {
      if (form.length >= MIN_SECRET_LENGTH) forms.add(form);
    }
  }
  return [...forms].sort((a, b) => b.length - a.length);
}

function encoded(secret: string): string {
  return encodeURIComponent(secret.replaceAll(/\p{Cs}/gu, "\ufffd"));
}

/** URLSearchParams encodes these as well, which encodeURIComponent leaves as they are. */
function asFormField(text: string): string {
  return text
    .replaceAll("%20", "+")
    .replaceAll(/[!'()~]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
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
