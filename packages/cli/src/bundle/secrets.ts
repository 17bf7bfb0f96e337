// The last look at a bundle: what must be in none, however it came there.

const forms: readonly (readonly [what: string, form: RegExp])[] = [
  ["a JSON Web Token", /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*/],
  ["a PEM block", /-----BEGIN [A-Z0-9 ]+-----/],
  // The same as base64.
  ["a PEM block in base64", /LS0tLS1CRUdJTi[A-Za-z0-9+/]/],
];

/** What a text has that looks like a secret; the text itself is not shown. */
export function secretIn(text: string): string | undefined {
  return forms.find(([, form]) => form.test(text))?.[0];
}
