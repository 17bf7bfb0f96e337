import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import {
  publicText,
  redact,
  registerHost,
  registerSecret,
  secretsOfHeader,
} from "../src/values/redact/index.ts";

/** Begins and ends with a letter, so that what is around it is not taken for a part of it. */
const secret = fc
  .oneof(
    fc.string({ unit: "binary", maxLength: 30 }),
    fc.string({ unit: "grapheme", maxLength: 20 }),
    fc.stringMatching(/^[\\"'&<>/+=%?# \n\t]{0,20}$/),
  )
  .map((middle) => `s3cr${middle}t0k3n`);

const bytesOf = (text: string): readonly number[] => [...Buffer.from(text)];
const hex = (byte: number): string => byte.toString(16).padStart(2, "0");
const units = (text: string): readonly number[] =>
  Array.from({ length: text.length }, (_unit, at) => text.charCodeAt(at));
const wellFormed = (text: string): string => text.replaceAll(/\p{Cs}/gu, "\ufffd");
const goHtml = (text: string): string =>
  JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(/[<>&\u2028\u2029]/g, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** What servers, proxies and libraries make of a text. */
const encoders: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  json: (text) => JSON.stringify(text),
  "json in json": (text) => JSON.stringify(JSON.stringify(text)),
  "json of Go": goHtml,
  "json in ASCII": (text) =>
    units(text)
      .map((unit) =>
        unit > 126 || unit < 32 ? `\\u${unit.toString(16).padStart(4, "0")}` : String.fromCharCode(unit),
      )
      .join("")
      .replaceAll(/["\\]/g, (mark) => `\\${mark}`),
  uri: (text) => encodeURI(wellFormed(text)),
  "uri component": (text) => encodeURIComponent(wellFormed(text)),
  "uri component in lower case": (text) =>
    encodeURIComponent(wellFormed(text)).replaceAll(/%../g, (part) => part.toLowerCase()),
  form: (text) => new URLSearchParams({ k: text }).toString().slice(2),
  "form twice": (text) => encodeURIComponent(new URLSearchParams({ k: text }).toString().slice(2)),
  "percent for each byte": (text) =>
    bytesOf(text)
      .map((byte) => `%${hex(byte)}`)
      .join(""),
  hex: (text) => Buffer.from(text).toString("hex"),
  "hex in upper case": (text) => Buffer.from(text).toString("hex").toUpperCase(),
  "hex with colons": (text) => bytesOf(text).map(hex).join(":"),
  base64: (text) => Buffer.from(text).toString("base64"),
  "base64 without padding": (text) => Buffer.from(text).toString("base64").replaceAll("=", ""),
  base64url: (text) => Buffer.from(text).toString("base64url"),
  "base64 in an address": (text) => encodeURIComponent(Buffer.from(text).toString("base64")),
  "base64 in JSON of PHP": (text) => Buffer.from(text).toString("base64").replaceAll("/", "\\/"),
  html: (text) =>
    text.replaceAll(
      /[&<>"']/g,
      (mark) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" })[mark] ?? mark,
    ),
  "html by numbers": (text) =>
    Array.from(text, (mark) => (/\w/.test(mark) ? mark : `&#${mark.codePointAt(0) ?? 0};`)).join(""),
  "read as Latin 1": (text) => Buffer.from(text).toString("latin1"),
};

/** Of a text that was encoded with what is around it, each part would show some of the secret. */
const isBlock = (name: string): boolean => /hex|base64|each byte/.test(name);

test.each(Object.keys(encoders))("a secret is hidden in any text: %s", (name) => {
  const encode = encoders[name] ?? String;
  assertProperty(
    fc.property(secret, fc.stringMatching(/^[a-z:@]{0,7}$/), fc.string(), (hidden, beside, around) => {
      const form = encode(`${beside}${hidden}${beside}`);
      const shown = redact(`${around} ${form} ${around}`, [hidden]);
      expect(shown).toContain("***");
      const parts = ["s3cr", "t0k3n", encode(hidden)].filter((part) => !around.includes(part));
      for (const part of [...parts, ...(isBlock(name) ? [form.slice(4, -4)] : [])])
        expect(shown).not.toContain(part);
    }),
    { numRuns: 300 },
  );
});

test("a line of JSON in which secrets are hidden stays JSON", () => {
  assertProperty(
    fc.property(
      secret,
      fc.constantFrom(...Object.values(encoders)),
      fc.string(),
      (hidden, encode, around) => {
        const line = JSON.stringify({ msg: `${around}\n${encode(hidden)}\t"${encode(hidden)}\\${around}` });
        expect(JSON.parse(redact(line, [hidden]))).toHaveProperty("msg");
      },
    ),
    { numRuns: 2_000 },
  );
});

test.each(["\u0130", "\u212a"])(
  "a letter that becomes one of ASCII in lower case hides no secret: %s",
  (letter) => {
    const hidden = `s3${letter}secretsecret${letter}t0k3n`;
    const escaped = Array.from(hidden, (mark) =>
      mark === letter ? `\\u${hex(letter.charCodeAt(0)).padStart(4, "0")}` : mark,
    );
    expect([redact(hidden, [hidden]), redact(escaped.join(""), [hidden])]).toEqual(["***", "***"]);
  },
);

test("of a header, each part that is a credential is a secret", () => {
  const basic = (pair: string): string => `Basic ${Buffer.from(pair).toString("base64")}`;
  expect(secretsOfHeader("authorization", "Bearer abc.def")).toEqual(["Bearer abc.def", "abc.def"]);
  expect(secretsOfHeader("authorization", basic("me:pa:ss"))).toEqual([
    basic("me:pa:ss"),
    basic("me:pa:ss").slice(6),
    "me:pa:ss",
    "pa:ss",
  ]);
  expect(secretsOfHeader("x-api-key", "two words")).toEqual(["two words", "words"]);
});

test("a secret that is too short to be hidden in words is hidden where it proves an identity", () => {
  const authorization = `Basic ${Buffer.from("me:x").toString("base64")}`;
  const secrets = [
    ...secretsOfHeader("authorization", authorization),
    ...secretsOfHeader("x-api-key", "abc"),
  ];
  expect(redact(`abcdef x: ${authorization}`, secrets)).toBe("abcdef x: ***");
  expect(redact('{"x-api-key":"abc"} X abc', secrets)).toBe('{"***"} X abc');
  expect(redact(`user me:x, ${Buffer.from("me:x").toString("hex")}`, secrets)).toBe("user ***, ***");
});

test("registered secrets are hidden in all texts, and an ordinary word of less than 8 characters is not", () => {
  registerSecret("registered-s3cret", "metric");
  expect(redact("a registered-s3cret metric")).toBe("a *** metric");
  expect(redact(`x ${Buffer.from("a:registered-s3cret").toString("base64")}`)).toBe("x ***");
  for (let i = 0; i < 200; i += 1) registerSecret(`rotated-token-${i}`);
  expect(redact("a registered-s3cret")).toBe("a registered-s3cret");
  expect(redact("rotated-token-0, rotated-token-199")).toBe("***, ***");
});

test.each([
  ["connect ECONNREFUSED 10.96.0.10:9090", "connect ECONNREFUSED (address hidden)"],
  ["connect ECONNREFUSED ::1:9090", "connect ECONNREFUSED (address hidden)"],
  ["connect EHOSTUNREACH fd00:10:96::a", "connect EHOSTUNREACH (address hidden)"],
  ["dial tcp [fd00::1]:443: i/o timeout", "dial tcp (address hidden): i/o timeout"],
  ["getaddrinfo ENOTFOUND thanos", "getaddrinfo ENOTFOUND (address hidden)"],
  [
    'Get "http://thanos.monitoring.svc:10902/api?x=1": dial tcp: lookup thanos.monitoring.svc on 10.96.0.10:53: no such host',
    'Get "(address hidden)": dial tcp: lookup (address hidden) on (address hidden): no such host',
  ],
  ["upstream ip-10-0-0-1.ec2.internal failed", "upstream (address hidden) failed"],
  ["upstream prometheus.example.com:9090 failed", "upstream (address hidden) failed"],
  ["upstream localhost:9090, prometheus:9090", "upstream (address hidden), (address hidden)"],
  ["see https://prom.example/x.", "see (address hidden)."],
  [
    "10.0.0.7 is not 10.0.0.77, 10.0.0.7:53, or 110.0.0.7",
    "(address hidden) is not (address hidden), (address hidden), or (address hidden)",
  ],
  [
    "lookup thanos: no such host; lookup thanos on [fd00::1]:53",
    "lookup (address hidden): no such host; lookup (address hidden) on (address hidden)",
  ],
  [
    "Host: prom.example. is not in the cert's altnames: DNS:other.example, IP Address:10.0.0.1",
    "Host: (address hidden) is not in the cert's altnames: DNS:(address hidden), IP Address:(address hidden)",
  ],
  [
    "x509: certificate is valid for a.example, b.example, not c.example",
    "x509: certificate is valid for (address hidden)",
  ],
  ["Basic dTpw at known-host.example and knownhost:90", "Basic *** at (address hidden) and (address hidden)"],
])("tenants read %s as %s", (text, shown) => {
  registerHost("https://user@known-host.example:8443/prefix");
  registerHost("knownhost");
  registerHost("https://10.0.0.7");
  expect(publicText(text)).toBe(shown);
  expect(publicText(shown)).toBe(shown);
});

test.each([
  "unable to fetch metrics from custom metrics API: the server could not find the metric http_requests for pods",
  'query "sum(rate(job::http:rate5m{a=~\\"x.*\\"}[1h:5m] offset 5m)) by (pod)": 1:13: parse error: unexpected <by>',
  'deployments.apps is forbidden: User "system:serviceaccount:a:b" cannot list resource',
  "no schedule until 2026-11-29T13:05:09Z, at 12:30:05; knownhost is a word; lookup failed",
  "rules.yaml:12:5: rules[3]: a problem; rules.yaml:3 too, and version 1.2.3",
  "metrics.k8s.io/v1beta1: HTTP 503: 3:4 of 500m, 1.5Gi",
  "external metric a/b/&LabelSelector{MatchLabels:map[string]string{host: api,dns:shop.example,},}",
  "host:node_cpu:sum, dns:requests:rate5m, http:requests:1234, and added::face",
  "a lookup error: none; could not lookup metric: x; lookup of a label on the left side",
])("%s has no address, and stays as it is", (text) => {
  registerHost("knownhost");
  expect(publicText(text)).toBe(text);
});

test("what hides secrets and addresses takes time in proportion to the text", () => {
  const long = [
    "a".repeat(64_000),
    "1.".repeat(32_000),
    "a:".repeat(32_000),
    "[:".repeat(32_000),
    "\\".repeat(64_000),
  ];
  const hidden = [`s3cr${"\\".repeat(40)}"'t0k3n`, "a".repeat(3_000), "1.1.1.1.1.1"];
  for (const text of long) expect(publicText(redact(text, hidden)).length).toBeLessThanOrEqual(64_000 * 10);
});

test("a text without a secret is searched for none: a line costs the same with two hundred long tokens", () => {
  const tokens = Array.from({ length: 200 }, (_, n) => `${n}.${"x".repeat(1_200)}${n}`);
  registerSecret(...tokens);
  redact("a line", ["own-s3cret", "another-s3cret"]);
  const search = vi.spyOn(String.prototype, "matchAll");
  onTestFinished(() => search.mockRestore());
  const line = '{"time":"2026-11-29T13:05:09Z","msg":"a request to a source failed","err":"refused"}';
  expect(redact(line, ["own-s3cret", "another-s3cret"])).toBe(line);
  expect(search).not.toHaveBeenCalled();
  expect(redact(`a ${tokens[7]} b`)).toBe("a *** b");
  expect(search.mock.calls.length).toBeLessThan(10);
});

test.each([
  ["base64", (text: string) => Buffer.from(text).toString("base64")],
  ["hex", (text: string) => Buffer.from(text).toString("hex")],
  ["hex with colons", (text: string) => bytesOf(text).map(hex).join(":")],
  [
    "percent for each byte",
    (text: string) =>
      bytesOf(text)
        .map((byte) => `%${hex(byte)}`)
        .join(""),
  ],
])("a long secret is hidden to its end, and where its end is cut off: %s", (_, encode) => {
  for (const middle of ["a.b-c_".repeat(300), "😀".repeat(501), `${"x".repeat(95)}${"😀".repeat(99)}`]) {
    const long = `s3cr${middle}t0k3n`;
    expect(redact(`see ${encode(long)}!`, [long])).toMatch(/^see %?\*\*\*!$/);
    expect(redact(`see ${encode(long).slice(0, 900)}!`, [long])).toMatch(/^see %?\*\*\*!$/);
  }
});
