import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { plimsoll } from "./run-plimsoll.ts";

const secret = fc.string({ unit: "binary", maxLength: 20 }).map((middle) => `s3cr${middle}t0k3n`);
const check = ["rules", "check", "r.yaml"] as const;

/** Command lines that fail, each with a secret where a user would have one. */
const mistakes = fc.oneof(
  secret.map((password) => [...check, "--against", `http://user:${password}@127.0.0.1:notaport`]),
  secret.map((password) => [...check, `--against=user:${password}@127.0.0.1`]),
  secret.map((token) => [...check, "--against", `ftp://127.0.0.1/?token=${token}`]),
  secret.map((token) => [...check, `--token=${token}`]),
  secret.map((token) => [...check, "--token", token]),
  secret.map((token) => [...check, token]),
  secret.map((token) => [...check, "--output", `Bearer ${token.replaceAll(/[\s"'\\,;]/g, "")}`]),
);

test("a command that fails never shows a password or token", async () => {
  const property = fc.asyncProperty(mistakes, async (args) => {
    const { code, out, err } = await plimsoll(args, {
      readText: async () => "rules: [{seriesQuery: up, resources: {namespaced: false}, metricsQuery: up}]\n",
    });
    expect(code).toBe(1);
    expect(out + err).not.toMatch(/s3cr|t0k3n/);
  });
  await assertProperty(property, { numRuns: 500 });
});
