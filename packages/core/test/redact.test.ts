import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { redact, redactUrl } from "../src/values/redact/index.ts";

/** Begins and ends with a letter, so that what a message says anyway is not taken for it. */
const secret = fc.string({ unit: "binary", maxLength: 30 }).map((middle) => `s3cr${middle}t0k3n`);
/** One that has a part of the secret by chance would be shown. */
const host = fc.domain().filter((name) => !/s3cr|t0k3n/i.test(name));

test("no part of an address's credentials or query is shown, whether it is valid or not", () => {
  const tails = fc.constantFrom("", ":9090", ":notaport", "/prefix", ":notaport/p");
  assertProperty(
    fc.property(fc.tuple(secret, secret), fc.tuple(host, tails), fc.option(secret), (login, place, token) => {
      const [user, password] = login;
      const query = token === null ? "" : `?token=${token}`;
      const shown = redactUrl(`http://${user}:${password}@${place.join("")}${query}`);
      for (const hidden of ["s3cr", "t0k3n", user, password]) expect(shown).not.toContain(hidden);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ["http://user:password@prometheus:notaport", "http://***@prometheus:notaport"],
  ["https://prometheus.example:9090/prefix", "https://prometheus.example:9090/prefix"],
  ["http://[::1]:9090", "http://[::1]:9090"],
  ["http://host:9090?token=x", "http://host:9090?***"],
  ["http://user:pa?ss@host", "http://***"],
  ["http://user:12/ss@host", "http://***@host"],
  ["http://user:forgotten", "http://user:***"],
  ["http://host:9090#x@y", "http://***"],
  ["user:password@host", "***@host"],
  ["localhost:9090", "localhost:9090"],
  ["", ""],
])("%s is shown as %s", (address, shown) => {
  expect(redactUrl(address)).toBe(shown);
});

test("a given secret is hidden in a form, whatever marks it has", () => {
  const hidden = "s3cr! ~*'()t0k3n";
  expect(redact(new URLSearchParams({ k: hidden }).toString(), [hidden])).toBe("k=***");
  expect(redact(encodeURIComponent(hidden), [hidden])).toBe("***");
});

test("given secrets are hidden in every encoding, wherever they are", () => {
  assertProperty(
    fc.property(secret, fc.string(), fc.string(), (hidden, before, after) => {
      const encodings = [hidden, JSON.stringify(hidden), new URLSearchParams({ k: hidden }).toString()];
      for (const form of encodings) {
        const shown = redact(`${before}${form}${after}`, [hidden]);
        for (const part of [hidden, ...encodings]) expect(shown).not.toContain(part);
      }
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ["request to http://u:p@h/x failed", "request to http://***@h/x failed"],
  ["Authorization: Bearer abc.def-ghi", "Authorization: Bearer ***"],
  ['{"authorization":"Basic dTpw"}', '{"authorization":"Basic ***"}'],
  ["GET /x?access_token=abc&q=1", "GET /x?access_token=***&q=1"],
  ["cannot read http://u:pa ss w@h:notaport", "cannot read http://***@h:notaport"],
  ["cannot read http://u:forgotten and more", "cannot read http://u:*** and more"],
  ["Get http://h:9090: refused, ask me@x", "Get http://h:9090: refused, ask me@x"],
  ["connect to http://[::1]:9090 failed", "connect to http://[::1]:9090 failed"],
  ["connect to http://u:p@[::1]:9090 failed", "connect to http://***@[::1]:9090 failed"],
  ['{"user":{"token":"a.b","password":"x y"}}', '{"user":{"token":"***","password":"***"}}'],
  [String.raw`"msg":"got {\"access_token\":\"a\\nb\"}"`, String.raw`"msg":"got {\"access_token\":\"***\"}"`],
  [String.raw`{"token":"a\"b\\c"}`, '{"token":"***"}'],
  ['unexpected token: "x"', 'unexpected token: "x"'],
  ['up{token=~"a.*"}', 'up{token=~"a.*"}'],
  ["cannot read a bearer token.", "cannot read a bearer token."],
  ["see https://example.com/a or mail a@example.com", "see https://example.com/a or mail a@example.com"],
  ['{"a":"http://x/","b":"me@x"}', '{"a":"http://x/","b":"me@x"}'],
])("%s becomes %s", (text, shown) => {
  expect(redact(text)).toBe(shown);
});

test("no message shows the password of an address in it, with or without blanks, and lines of JSON stay JSON", () => {
  const password = fc
    .stringMatching(/^[ !#-&(-.:;=?-Z^_a-z{-~]{0,30}$/)
    .map((middle) => `s3cr${middle}t0k3n`);
  assertProperty(
    fc.property(password, host, fc.constantFrom("", ":9090", ":notaport"), (hidden, place, port) => {
      const message = `request to http://user:${hidden}@${place}${port} failed`;
      const line = redact(JSON.stringify({ err: { message, stack: `${message}\n  at x` } }));
      for (const shown of [redact(message), line]) expect(shown).not.toMatch(/s3cr|t0k3n/);
      expect(JSON.parse(line)).toHaveProperty("err.stack");
    }),
    { numRuns: 2_000 },
  );
});

test("a short value hides nothing, and of two secrets the longer one goes first", () => {
  expect(redact("an answer", ["an"])).toBe("an answer");
  expect(redact("abcdefgh", ["abcd", "abcdefgh"])).toBe("***");
});
