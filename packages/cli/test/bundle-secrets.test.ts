// What a bundle hides in texts that anyone may have written.
import { expect, onTestFinished, test, vi } from "vitest";
import { hiddenIn, secretIn, withoutSecrets } from "../src/commands/bundle/secrets.ts";

const token = "eyJhbGciOiJSUzI1NiIsImtpZCI6IngifQ.eyJzdWIiOiJzeXN0ZW06c2VydmljZWFjY291bnQifQ.c2lnbmF0dXJl";

test.each([
  [
    "a block of several lines",
    "a\n-----BEGIN RSA KEY-----\nProc-Type: 4\n\nMIIB\n-----END RSA KEY-----\nb",
    "a\n[hidden: a PEM block]\nb",
  ],
  [
    "a block without an end",
    "-----BEGIN KEY-----\nMIIB\nplain text goes on",
    "[hidden: a PEM block]\nplain text goes on",
  ],
  [
    "a block in the lines of a log",
    "1Z -----BEGIN KEY-----\n2Z MIIB\n3Z -----END KEY-----\n4Z b",
    "1Z [hidden: a PEM block]\n4Z b",
  ],
  [
    "a start in the line of an end",
    "-----BEGIN A-----x-----END A----- -----BEGIN B-----x",
    "[hidden: a PEM block] [hidden: a PEM block]",
  ],
  [
    "base64 of a block",
    "x LS0tLS1CRUdJTiBQUklWQVRF\nQUJDQUJDQUJDQUJDQUJD\nb c d",
    "x [hidden: a PEM block]\nb c d",
  ],
  [
    "a block that is indented, as in YAML",
    "key: |\n  -----BEGIN KEY-----\n  MIIB\n  QUJD\n  -----END KEY-----\nnext: b",
    "key: |\n  [hidden: a PEM block]\nnext: b",
  ],
  [
    "base64 of a block that is indented",
    "key: >\n  LS0tLS1CRUdJTiBQUklWQVRF\n  QUJDQUJDQUJDQUJDQUJD\nnext: b",
    "key: >\n  [hidden: a PEM block]\nnext: b",
  ],
  [
    "a token in an address, behind an escaped end of a line, and behind other names",
    `%20${token} \\n${token} a.b_${token}.c x.eyJ.${token}`,
    "%20[hidden: a JSON Web Token] \\n[hidden: a JSON Web Token] a.b_[hidden: a JSON Web Token].c x.eyJ.[hidden: a JSON Web Token]",
  ],
  [
    "names with dots",
    "eyJabcdefgh.eyJ.x, eyJ.eyJabcdefgh.x, a.eyJabcdefgh",
    "eyJabcdefgh.eyJ.x, eyJ.eyJabcdefgh.x, a.eyJabcdefgh",
  ],
  ["a token", `a ${token},${token}`, "a [hidden: a JSON Web Token],[hidden: a JSON Web Token]"],
  ["none", "-----BEGIN-----", "-----BEGIN-----"],
])("%s", (_, text, shown) => {
  expect(withoutSecrets(text)).toBe(shown);
  expect(secretIn(shown)).toBeUndefined();
});

test("each kind is listed with its first line and its number", () => {
  const text = `\n\n${token} ${token}\n-----BEGIN A-----\n`;
  expect(hiddenIn(withoutSecrets(text))).toBe(
    "hidden: text that looks like a JSON Web Token, in line 3, and 1 more; hidden: text that looks like a PEM block, in line 4",
  );
  expect(hiddenIn("a text")).toBeUndefined();
});

test.each(["-eyJ", "eyJ", "eyJ00000000.", "-----BEGIN A-----", "-----BEGIN A", "LS0tLS1CRUdJTiA"])(
  "a megabyte of %s is read",
  (part) => {
    const shown = withoutSecrets(part.repeat(1_000_000 / part.length));
    expect(secretIn(shown)).toBeUndefined();
  },
);

test("the lines before a thousand secrets in one line are counted once", () => {
  const search = vi.spyOn(String.prototype, "indexOf");
  onTestFinished(() => search.mockRestore());
  const text = `\n${"[hidden: a PEM block] ".repeat(1_000)}`;
  expect(hiddenIn(text)).toBe("hidden: text that looks like a PEM block, in line 2, and 999 more");
  expect(search.mock.calls.length).toBeLessThan(10);
});
