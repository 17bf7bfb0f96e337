import { manualClock } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";
import { createRulesFile } from "../../src/app/rules-file.ts";
import { recordingLog } from "../http/fakes.ts";

const byPod = "resources: {overrides: {namespace: {resource: namespace}, pod: {resource: pod}}}";
const rule = (series: string): string =>
  `- {seriesQuery: ${series}, ${byPod}, metricsQuery: '<<.Series>>{<<.LabelMatchers>>}'}`;
function rulesFile(text: string, { check }: Partial<Parameters<typeof createRulesFile>[0]> = {}) {
  const files = new Map([["rules.yaml", text]]);
  const clock = manualClock(0);
  const log = recordingLog();
  const file = createRulesFile({
    path: "rules.yaml",
    readText: async (path) => {
      const found = files.get(path);
      if (found === undefined) throw new Error(`ENOENT: ${path}`);
      return found;
    },
    clock,
    pollIntervalMs: 2_000,
    log,
    ...(check && { check }),
  });
  const used: (readonly string[])[] = [];
  const outcomes: string[] = [];
  const watch = (): void =>
    file.watch({
      use: async (rules) => void used.push(rules.custom.map(({ seriesQuery }) => seriesQuery ?? "")),
      onReload: (outcome) => outcomes.push(outcome),
    });
  return { files, clock, log, file, used, outcomes, watch };
}

test("a good file takes the old one's place, a bad one does not and every problem is reported with its place", async () => {
  const { files, clock, log, file, used, outcomes, watch } = rulesFile(`rules:\n${rule("first")}\n`);
  expect((await file.load()).ok).toBe(true);
  watch();
  await clock.advance(2_000);
  expect(used).toEqual([]);

  files.set("rules.yaml", `rules:\n${rule("first")}\n${rule("second")}\n`);
  await clock.advance(2_000);
  expect([used, outcomes, file.note()]).toEqual([[["first", "second"]], ["success"], undefined]);

  files.set("rules.yaml", "rules:\n- {seriesQueri: a}\n- {seriesQuery: b, metricsQuery: '<<.Series'}\n");
  await clock.advance(2_000);
  expect([used.length, outcomes]).toEqual([1, ["success", "failure"]]);
  expect(file.note()).toBe("using older rules: the file has 2 problems, first at rules.yaml:2:4");
  const errors = log.lines.filter(
    ({ message }) => message === "new rules are rejected; keeping the old ones",
  );
  expect(errors.map(({ fields }) => (fields as { problem?: unknown }).problem)).toEqual([
    expect.stringMatching(/^rules\.yaml:2:4: rules\[0\]\.seriesQueri: unknown field/),
    expect.stringMatching(/^rules\.yaml:3:\d+: rules\[1\]\.metricsQuery: /),
  ]);

  files.set("rules.yaml", `rules:\n${rule("third")}\n`);
  await clock.advance(2_000);
  expect([used.at(-1), file.note()]).toEqual([["third"], undefined]);
  file.stop();
});

test("beside a rule that cannot be read, one of a source that is not there is left out too", async () => {
  const check: Parameters<typeof createRulesFile>[0]["check"] = ({ custom }) =>
    custom
      .filter(({ seriesQuery }) => seriesQuery === "second")
      .map(({ path }) => ({ path, message: "there is no source tema-a", line: 3, column: 3 }));
  const text = `rules:\n- {seriesQueri: a}\n${rule("second")}\n${rule("third")}\n`;
  const { file, log } = rulesFile(text, { check });
  const loaded = await file.load();
  expect(loaded.ok && loaded.rules.custom.map(({ seriesQuery }) => seriesQuery)).toEqual(["third"]);
  const errors = log.lines.filter(({ message }) => message === "a rule is left out");
  expect(JSON.stringify(errors)).toContain("there is no source tema-a");
  expect(JSON.stringify(errors)).toContain("seriesQueri");
});

test("at the start rules with problems are left out and said, and the others are used", async () => {
  const { files, clock, log, file, used, outcomes, watch } = rulesFile(
    `rules:\n${rule("first")}\n- {seriesQueri: a}\n${rule("second")}\nexternalRules:\n- {metricsQuery: '<<.Series'}\nresourceRules: {window: x}\n`,
  );
  const loaded = await file.load();
  expect(
    loaded.ok && [loaded.rules.custom.map(({ seriesQuery }) => seriesQuery), loaded.rules.external],
  ).toEqual([["first", "second"], []]);
  expect(loaded.ok && loaded.rules.resource).toBeUndefined();
  const errors = log.lines.filter(({ message }) => message === "a rule is left out");
  expect(errors.map(({ fields }) => (fields as { problem?: unknown }).problem)).toEqual([
    expect.stringMatching(/^rules\.yaml:3:4: rules\[1\]\.seriesQueri: unknown field/),
    expect.stringMatching(/^rules\.yaml:6:\d+: externalRules\[0\]\.metricsQuery: /),
    expect.stringMatching(/^rules\.yaml:7:\d+: resourceRules\.window: /),
  ]);
  expect(file.note()).toBe("rules are left out: the file has 3 problems, first at rules.yaml:3:4");
  watch();
  files.set("rules.yaml", `rules:\n${rule("first")}\n`);
  await clock.advance(2_000);
  expect([used, outcomes, file.note()]).toEqual([[["first"]], ["success"], undefined]);
  file.stop();
});

test.each([
  ["rules: []\n", 0],
  ["{}\n", 0],
  ["rules:\nexternalRules: null\n", 0],
  ["", 1],
  ["# rules: []\n", 1],
  ["rules: []\n---\nrules: []\n", 1],
])("of a file without rules, %j, there are %i warnings", async (text, count) => {
  const { log, file } = rulesFile(text);
  expect((await file.load()).ok).toBe(true);
  expect(log.lines.filter(({ level }) => level === "warn")).toHaveLength(count);
});

test("a change with bad rules leaves those out and uses the others, until the file is right", async () => {
  const { files, clock, log, file, used, outcomes, watch } = rulesFile(`rules:\n${rule("first")}\n`);
  await file.load();
  watch();
  files.set("rules.yaml", `rules:\n${rule("second")}\n- {seriesQueri: a}\n${rule("third")}\n`);
  await clock.advance(2_000);
  expect([used, outcomes]).toEqual([[["second", "third"]], ["failure"]]);
  expect(file.current()?.custom).toHaveLength(2);
  expect(file.note()).toBe("rules are left out: the file has 1 problems, first at rules.yaml:3:4");
  const errors = log.lines.filter(({ message }) => message === "a rule is left out");
  expect(errors.map(({ fields }) => (fields as { problem?: unknown }).problem)).toEqual([
    expect.stringMatching(/^rules\.yaml:3:4: rules\[1\]\.seriesQueri: unknown field/),
  ]);
  files.set("rules.yaml", `rules:\n${rule("second")}\n`);
  await clock.advance(2_000);
  expect([used.at(-1), outcomes, file.note()]).toEqual([["second"], ["failure", "success"], undefined]);
  file.stop();
});

test.each([
  ["is not YAML", `rules:\n${rule("second")}\n- {`],
  ["has a problem in resourceRules", `rules:\n${rule("second")}\nresourceRules: {window: x}\n`],
  ["has a problem beside its rules", `rules:\n${rule("second")}\nrulez: []\n`],
  ["has no good rule", "rules:\n- {seriesQueri: a}\n"],
  ["needs a source that may come later", `rules:\n${rule("second")}\n${rule("sourceless")}\n`],
])("a change keeps all old rules where the file %s", async (_, text) => {
  const check: Parameters<typeof createRulesFile>[0]["check"] = ({ custom }) =>
    custom
      .filter(({ seriesQuery }) => seriesQuery === "sourceless")
      .map(({ path }) => ({ path, message: "there is no source tema-a", line: 3, column: 3 }));
  const { files, clock, log, file, used, outcomes, watch } = rulesFile(`rules:\n${rule("first")}\n`, {
    check,
  });
  await file.load();
  watch();
  files.set("rules.yaml", text);
  await clock.advance(2_000);
  expect([used, outcomes]).toEqual([[], ["failure"]]);
  expect(file.current()?.custom.map(({ seriesQuery }) => seriesQuery)).toEqual(["first"]);
  expect(file.note()).toContain("using older rules");
  expect(log.lines.map(({ message }) => message)).toContain("new rules are rejected; keeping the old ones");
  file.stop();
});

test("rules that stay unused for their resourceRules say nothing about the sources that are needed", async () => {
  const { files, clock, file, watch } = rulesFile(`rules:\n${rule("first")}\n`);
  await file.load();
  watch();
  files.set("rules.yaml", `rules:\n${rule("second")}\nresourceRules: {window: x}\n`);
  await clock.advance(2_000);
  expect(file.note()).toContain("using older rules");
  expect(file.pending()).toBeUndefined();
  file.stop();
});

test("rules beside a bad one that wait for a source let the file of sources change", async () => {
  const check: Parameters<typeof createRulesFile>[0]["check"] = ({ custom }) =>
    custom.map(({ path }) => ({ path, message: "there is no source b", line: 3, column: 3 }));
  const { files, clock, file, watch } = rulesFile(`rules:\n${rule("first")}\n`, { check });
  await file.load();
  watch();
  files.set("rules.yaml", `rules:\n- {seriesQueri: a}\n${rule("second")}\n`);
  await clock.advance(2_000);
  expect(file.pending()?.custom.map(({ seriesQuery }) => seriesQuery)).toEqual(["second"]);
  file.stop();
});

test.each([
  ["{}\n", 0],
  ["rules: []\n", 0],
  ["# of another time\nexternalRules:\n", 0],
  ["", 1],
  ["# rules: []\n", 1],
])("a file without rules is warned of where it does not say so: %j", async (text, warnings) => {
  const { log, file } = rulesFile(text);
  await file.load();
  file.stop();
  expect(log.lines).toHaveLength(warnings);
});

test("a file without any good rule, or with a problem beside its rules, is refused at the start", async () => {
  for (const text of ["rules:\n- {seriesQueri: a}\n", `rules:\n${rule("first")}\nrulez: []\n`]) {
    const { file } = rulesFile(text);
    expect((await file.load()).ok).toBe(false);
    file.stop();
  }
});

test("a file that goes away is noted until it is there again", async () => {
  const { files, clock, file, used, outcomes, watch } = rulesFile(`rules:\n${rule("first")}\n`);
  const text = files.get("rules.yaml") ?? "";
  await file.load();
  watch();
  files.delete("rules.yaml");
  await clock.advance(2_000);
  const lost = "using older rules: cannot load rules.yaml: ENOENT: rules.yaml";
  expect(file.note()).toBe(lost);
  await clock.advance(2_000);
  expect(file.note()).toBe(lost);
  files.set("rules.yaml", text);
  await clock.advance(2_000);
  expect([used, outcomes, file.note()]).toEqual([[], [], undefined]);
  file.stop();
});

test("new rules that cannot be taken into use are noted with the cause, and tried again at each poll", async () => {
  const { files, clock, file, used, outcomes } = rulesFile(`rules:\n${rule("first")}\n`);
  await file.load();
  let cause: Error | undefined = new Error("out of file descriptors");
  const use: Parameters<typeof file.watch>[0]["use"] = async ({ custom }) => {
    if (cause !== undefined) throw cause;
    used.push(custom.map(({ seriesQuery }) => seriesQuery ?? ""));
  };
  file.watch({ use, onReload: (outcome) => outcomes.push(outcome) });
  files.set("rules.yaml", `rules:\n${rule("second")}\n`);
  await clock.advance(2_000);
  await clock.advance(2_000);
  expect(file.note()).toBe("using older rules: cannot load rules.yaml: out of file descriptors");
  expect(outcomes).toEqual(["failure", "failure"]);
  cause = undefined;
  await clock.advance(2_000);
  expect([used, outcomes, file.note()]).toEqual([[["second"]], ["failure", "failure", "success"], undefined]);
  await clock.advance(2_000);
  expect(used).toHaveLength(1);
  file.stop();
});

test("a change between the first reading and the start of serving is not lost", async () => {
  const { files, clock, file, used, watch } = rulesFile(`rules:\n${rule("first")}\n`);
  await file.load();
  files.set("rules.yaml", `rules:\n${rule("second")}\n`);
  await clock.advance(2_000);
  watch();
  expect(used).toEqual([["second"]]);
  file.stop();
});
