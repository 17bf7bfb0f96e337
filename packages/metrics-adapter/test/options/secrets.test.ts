import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseOptions } from "../../src/options/options.ts";

const secret = fc.string({ unit: "binary", maxLength: 20 }).map((middle) => `s3cr${middle}t0k3n`);

/** Command lines that are refused, each with a secret where an operator would have one. */
const mistakes = fc.oneof(
  secret.map((password) => [`--prometheus-url=http://user:${password}@prometheus:notaport`]),
  secret.map((password) => ["--prometheus-url", `user:${password}@prometheus`]),
  secret.map((token) => [`--prometheus-url=ftp://prometheus/?token=${token}`]),
  secret.map((token) => ["--prometheus-header", `Authorization: Bearer ${token}`.replaceAll("=", "")]),
  secret.map((token) => [`--prometheus-header=Authorization: Bearer ${token}=`]),
  secret.map((token) => [`--prometheus-header=Authorization=Bearer ${token}\n`]),
  secret.map((token) => ["--prometheus-header", "Authorization=Bearer", token]),
  secret.map((token) => [`--prometheus-token=${token}`]),
  secret.map((token) => ["--prometheus-token", token]),
);

test("a refused command line never shows a password, token or header", () => {
  assertProperty(
    fc.property(mistakes, (args) => {
      const result = parseOptions(["--config=r.yaml", ...args], "1.0.0");
      expect(result.type).toBe("problems");
      expect(JSON.stringify(result)).not.toMatch(/s3cr|t0k3n/);
    }),
    { numRuns: 2_000 },
  );
});

test("a header that cannot be sent is refused at the start, by its number", () => {
  const result = parseOptions(
    [
      "--config=r.yaml",
      "--prometheus-header=X-Good=1",
      "--prometheus-header=X Bad=1",
      "--prometheus-header=X=\u{1F600}",
    ],
    "1.0.0",
  );
  expect(result).toEqual({
    type: "problems",
    problems: [
      "invalid value number 2 for --prometheus-header (not shown): the part before = must be a header name",
      "invalid value number 3 for --prometheus-header (not shown): the value has a character that headers can't contain",
    ],
  });
});
