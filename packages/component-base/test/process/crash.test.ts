import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

test.each([
  ["a rejection", "await Promise.reject(error)"],
  ["an exception", "setTimeout(() => { throw error; })"],
])("%s that nothing catches is printed without the secrets in its fields and causes", (_, how) => {
  const module = new URL("../../src/process/program.ts", import.meta.url).href;
  const script = `
    import { hideSecretsOfCrashes } from ${JSON.stringify(module)};
    hideSecretsOfCrashes();
    const cause = new Error("sent Authorization: Bearer s3cret");
    const error = Object.assign(new TypeError("Invalid URL", { cause }), { input: "http://user:s3cret@host:notaport" });
    ${how};`;
  const { status, stderr } = spawnSync(
    process.execPath,
    ["--conditions=@plimsoll/source", "--input-type=module", "--eval", script],
    { encoding: "utf8" },
  );
  expect(status).toBe(1);
  expect(stderr).toContain("TypeError: Invalid URL");
  expect(stderr).toContain("http://***@host:notaport");
  expect(stderr).not.toContain("s3cret");
});
