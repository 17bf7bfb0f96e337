import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fileFolder } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { answerOfUpstream } from "../src/oracle/serve.ts";
import type { VectorCase } from "../src/oracle/vector-file.ts";
import { answerOfCore } from "../src/protocol/serve.ts";
import { vectorKinds } from "../src/vectors/kinds/table.ts";

const vectors = fileURLToPath(new URL("../vectors", import.meta.url));
const samples = join(vectors, "samples");
const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const node = JSON.stringify(process.execPath);
const core = `${node} ${JSON.stringify(main)} --serve`;

const folder = fileFolder();

function run(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  return runOn("", ...args);
}

function runOn(
  input: string,
  ...args: readonly string[]
): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [main, ...args], { maxBuffer: 1 << 26 }, (error, out, err) => {
      resolve({ code: typeof error?.code === "number" ? error.code : 0, out, err });
    });
    child.stdin?.end(input);
  });
}

/** An implementation that has the given body for each line; `reply` writes an object. */
async function implementation(name: string, body: string): Promise<string> {
  const path = join(folder, `${name}.mjs`);
  await writeFile(
    path,
    `import { createInterface } from "node:readline";
const reply = (message) => console.log(JSON.stringify(message));
for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.protocol) reply({ protocol: message.protocol, implementation: ${JSON.stringify(name)} });
  else { ${body} }
}
`,
  );
  return `${node} ${JSON.stringify(path)}`;
}

test("the vectors of the package pass in another process, which only sees what is asked", async () => {
  const { code, out } = await run("--implementation", core);
  const [first, , last] = out.trimEnd().split("\n");
  expect(first).toMatch(/^@plimsoll\/core \d+\.\d+\.\d+$/);
  expect(last).toMatch(/^[1-9]\d{3,} passed, 0 failed$/);
  expect(code).toBe(0);
});

test("no question has what is expected in it", async () => {
  const command = await implementation(
    "spy",
    `const text = JSON.stringify(message.case);
     reply(/"expect"|"canonical"|"name":"sample/.test(text) && message.kind !== "conversion"
       ? { id: message.id, answer: { leaked: text } }
       : { id: message.id, unsupported: "only looks" });`,
  );
  const { code, out } = await run("--implementation", command, samples);
  expect(out.trimEnd().split("\n").at(-1)).toMatch(/^0 passed, 0 failed, [1-9]\d* skipped$/);
  // Who skips all has shown nothing.
  expect(code).toBe(1);
});

test("a wrong answer is a failure with its place, and what is unsupported is counted", async () => {
  const command = await implementation(
    "partial",
    `if (message.kind === "quantity") reply({ id: message.id, answer: { canonical: "1", milli: "1000", value: "1" } });
     else reply({ id: message.id, unsupported: "quantities alone" });`,
  );
  const file = join(folder, "quantities.json");
  const cases = [
    { name: "right", input: "1", canonical: "1", milli: "1000", value: "1" },
    { name: "wrong", input: "2", canonical: "2", milli: "2000" },
    { name: "refused", input: "x", error: true },
  ];
  await writeFile(file, JSON.stringify({ format: "plimsoll-vectors/1", kind: "quantity", cases }));
  const { code, out } = await run("--implementation", command, file, join(samples, "sample-behavior.json"));
  expect(out).toContain('case:     wrong\n  path:     milli\n  expected: "2000"\n  actual:   "1000"');
  expect(out).toContain("case:     refused\n  path:     error\n  expected: true\n  actual:   absent");
  expect(out.trimEnd().split("\n").at(-1)).toMatch(/^1 passed, 2 failed, [1-9]\d* skipped$/);
  expect(code).toBe(1);
});

test.each<[string, string, string]>([
  ["empty-answers", "reply({ id: message.id, answer: {} });", "actual:   absent"],
  ["odd-answers", "reply({ id: message.id, answer: { steps: 5, fields: 5, next: 5 } });", "is not a list"],
  ["no-answers", "reply({ id: message.id });", 'no object \\"answer\\"'],
  ["failures", 'reply({ id: message.id, failure: "no such pod" });', 'actual:   "no such pod"'],
  ["other-ids", "reply({ id: -1, answer: {} });", "a line has the id -1 instead of 1"],
  ["no-json", 'console.log("hello");', "a line is not JSON: hello"],
  ["ends", "process.exit(7);", "the implementation ended with code 7"],
])("an implementation with %s fails, and says how", async (name, body, problem) => {
  const command = await implementation(name, body);
  const { code, out } = await run("--implementation", command, samples);
  expect(out).toContain(problem);
  expect(code).toBe(1);
});

test("an implementation that keeps its answers back is not waited for forever", async () => {
  const command = await implementation("silent", "");
  const { code, out } = await run("--implementation", command, "--timeout", "2", samples);
  expect(out).toContain("no answer within 2 s; is each line of the implementation flushed");
  expect(code).toBe(1);
});

test.each<[string, string, string]>([
  [
    "a program that a shell started, and that does not answer",
    "true; sleep 600; true",
    "no answer within 2 s",
  ],
  ["a program that closes its output and goes on", "exec 1>&-; sleep 600", "closed its standard output"],
  ["a program that writes without an end", "yes", "a line is not JSON: y"],
  [
    "a program that writes a line without an end",
    "yes | tr -d '\\n'",
    "a line of the implementation is longer",
  ],
])("%s is ended with all that it started, and the runner ends with 2", async (_, command, problem) => {
  const seconds = problem.startsWith("no answer") ? "2" : "60";
  const { code, err } = await run(
    "--implementation",
    `echo $$ > ${folder}/pid; ${command}`,
    "--timeout",
    seconds,
  );
  expect(err).toContain(problem);
  expect(code).toBe(2);
  const group = Number(await readFile(join(folder, "pid"), "utf8"));
  await expect.poll(() => isRunning(-group)).toBe(false);
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test("a program that has answered and does not end is not waited for forever", async () => {
  const command = await implementation("lasting", 'reply({ id: message.id, unsupported: "all" });');
  const { code, out } = await run("--implementation", `${command}; sleep 600`, "--timeout", "0.5", samples);
  expect(out).toMatch(/0 passed, 0 failed, [1-9]\d* skipped\n$/);
  expect(code).toBe(1);
});

test("lines may end as on Windows, and the last one may have no end", async () => {
  const command = await implementation(
    "windows",
    'process.stdout.write(`${JSON.stringify({ id: message.id, unsupported: "é" })}\\r\\n`);',
  );
  const { code, out } = await run("--implementation", command, samples);
  expect(out).toMatch(/0 passed, 0 failed, [1-9]\d* skipped\n$/);
  expect(code).toBe(1);
  const hello = `printf '{"protocol":"plimsoll-conformance/1","implementation":"x"}'`;
  expect(await run("--implementation", hello, samples)).toMatchObject({ code: 1, err: "" });
});

test("one case that cannot be read fails alone, and a line that is not JSON ends the core", async () => {
  const file = join(folder, "partly.json");
  const cases = [
    { name: "broken", now: "x", spec: 5, expect: { replicas: 1 } },
    ...(JSON.parse(await readFile(join(samples, "sample-behavior.json"), "utf8")) as { cases: object[] })
      .cases,
  ];
  await writeFile(file, JSON.stringify({ format: "plimsoll-vectors/1", kind: "behavior", cases }));
  const { code, out } = await run("--implementation", core, file);
  expect(out).toMatch(
    /case: {5}broken\n.*\n.*\n {2}actual: {3}"is not an object"\n\n[1-9]\d* passed, 1 failed\n$/,
  );
  expect(code).toBe(1);
  const served = await runOn('{"protocol":"plimsoll-conformance/1"}\r\nnot json\n', "--serve");
  expect(served).toMatchObject({ code: 1, err: "a line is not JSON: not json\n" });
});

test.each<[string, readonly string[], string]>([
  ["a command that does not exist", ["--implementation", "plimsoll-no-such-program"], "ended with code 127"],
  ["a program without the protocol", ["--implementation", "echo hello"], "a line is not JSON: hello"],
  ["another protocol", ["--implementation", 'echo \'{"protocol":"x/1"}\''], 'speaks \\"x/1\\"'],
  ["a time that is none", ["--timeout", "soon", samples], "--timeout is soon, and must be a number"],
  ["an unknown flag", ["--implement", "x"], "--implement"],
])("%s ends with 2", async (_, args, problem) => {
  const { code, err } = await run(...args);
  expect(JSON.stringify(err)).toContain(problem);
  expect(code).toBe(2);
});

test("the help names the exit codes", async () => {
  const { code, out } = await run("--help");
  expect(out).toContain("Ends with 0");
  expect(code).toBe(0);
});

test("what an answer leaves out is null: a step that writes nothing needs no scaleTo", () => {
  const trajectory = vectorKinds.get("trajectory");
  const vector = { name: "a", hpa: {}, steps: [{ at: "", expect: { scaleTo: null } }] };
  expect(trajectory?.compare(vector, { steps: [{}] })).toEqual([]);
  expect(trajectory?.compare(vector, { steps: [{ scaleTo: 3 }] })).toHaveLength(1);
});

test("the core refuses a kind that it does not know, and answers what it does", () => {
  expect(answerOfCore({ id: 1, kind: "weather", semantics: "1.37", case: {} })).toEqual({
    unsupported: "the kind weather is unknown",
  });
  const cron = { minReplicas: 1, maxReplicas: 9, currentReplicas: 2, targetSize: 4 };
  expect(answerOfCore({ id: 2, kind: "cron-hpa", semantics: "1.37", case: cron })).toMatchObject({
    answer: { scaleTo: 4 },
  });
});

test("what the real controller fills in becomes an answer", async () => {
  const started: string[] = [];
  const filled: Readonly<Record<string, object>> = {
    quantity: { canonical: "1", milli: "1000", value: "1" },
    proposal: { expect: { error: true, message: "no metrics" } },
    behavior: { expect: { replicas: 4, reason: "ScaleUpLimit" } },
    trajectory: {
      steps: [
        {
          expect: {
            scaleTo: null,
            conditions: [
              { type: "A", status: "True" },
              { type: "B", status: null },
            ],
          },
        },
      ],
    },
    conversion: { expect: { kind: "HorizontalPodAutoscaler" } },
    validation: { oracleError: "panic: nil" },
  };
  const upstream = answerOfUpstream(async (release) => {
    started.push(release);
    return { run: async (kind) => [filled[kind] as VectorCase], close: async () => undefined };
  });
  const ask = (kind: string, semantics = "1.37") => upstream.answer({ id: 1, kind, semantics, case: {} });
  expect(await ask("quantity")).toEqual({ answer: filled["quantity"] });
  expect(await ask("proposal")).toEqual({ answer: { error: "no metrics" } });
  expect(await ask("behavior")).toEqual({ answer: { replicas: 4, reason: "ScaleUpLimit" } });
  expect(await ask("trajectory")).toEqual({
    answer: { steps: [{ scaleTo: null, conditions: [{ type: "A", status: "True" }] }] },
  });
  expect(await ask("conversion")).toEqual({ answer: { object: { kind: "HorizontalPodAutoscaler" } } });
  expect(await ask("validation")).toEqual({ unsupported: "panic: nil" });
  expect(await ask("cron-hpa")).toEqual({ unsupported: "the program of 1.37 does not have cron-hpa" });
  expect(await ask("validation", "1.35")).toMatchObject({ unsupported: expect.stringContaining("1.35") });
  expect(await ask("quantity", "1.20")).toEqual({ unsupported: "there is no program of 1.20" });
  expect(started).toEqual(["1.37"]);
  await upstream.close();
});

test("the implementation of the page passes what it supports", async () => {
  const page = await readFile(new URL("../../../docs/developers/conformance.md", import.meta.url), "utf8");
  const [, program = ""] = /```js\n([^]*?)```/.exec(page) ?? [];
  const path = join(folder, "page.mjs");
  await writeFile(path, program);
  const { code, out } = await run("--implementation", `${node} ${JSON.stringify(path)}`, samples);
  expect(out.trimEnd().split("\n")).toEqual([
    "example 1.0.0",
    "",
    expect.stringMatching(/^[1-9]\d* passed, 0 failed, [1-9]\d* skipped$/),
  ]);
  expect(code).toBe(0);
});
