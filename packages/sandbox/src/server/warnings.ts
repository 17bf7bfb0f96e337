// Formats Warning headers, within limits of length.

/** Clients give up on a response whose headers are long. */
const maxLetters = 4 * 1024;
const maxLettersOfOne = 256;

/**
 * Values of Warning headers, in UTF-8. When they are too long together, each is cut, and the last ones are left out.
 * @upstream staging/src/k8s.io/apiserver/pkg/endpoints/filters/warning.go#AddWarning
 */
export function warningHeaders(warnings: readonly string[]): readonly string[] {
  const isTooLong = warnings.reduce((sum, { length }) => sum + length, 0) > maxLetters;
  const headers: string[] = [];
  let written = 0;
  for (const warning of warnings) {
    if (isTooLong && written >= maxLetters) break;
    const text = isTooLong ? warning.slice(0, maxLettersOfOne) : warning;
    written += text.length;
    headers.push(`299 - "${inHeader(text)}"`);
  }
  return headers;
}

/** A header has no control characters, and Node writes its letters as bytes. */
function inHeader(text: string): string {
  const quoted = text.replaceAll(/\p{Cc}/gu, "").replaceAll(/["\\]/g, String.raw`\$&`);
  return Buffer.from(quoted, "utf8").toString("latin1");
}
