import { expect, test } from "vitest";
import { stringify } from "yaml";
import { cron, prometheus, scaledObject } from "./keda-objects.ts";
import { convert, runConvert } from "./rig.ts";

const head = "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {name: x}\nspec:";
const letters = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];

/** Ten aliases of ten aliases, and so on. */
const bomb = letters
  .map((name, index) => {
    const item = index === 0 ? "x" : `*${letters[index - 1] ?? ""}`;
    return `  ${name}: &${name} [${Array.from({ length: 10 }, () => item).join(", ")}]`;
  })
  .join("\n");
const merges = Array.from({ length: 3000 }, (_, index) =>
  index === 0 ? "  m0: &m0 {a: 1}" : `  m${index}: &m${index} {<<: *m${index - 1}, k${index}: 1}`,
).join("\n");

test.each<[name: string, text: string, message: RegExp]>([
  ["aliases of aliases", `${head}\n${bomb}\n`, /has too many aliases/],
  ["merge keys of merge keys", `${head}\n${merges}\n`, /has too many aliases/],
  ["an alias of nothing", `${head} {a: *nothing}\n`, /alias/i],
  ["a hundred thousand brackets", `${head} ${"[".repeat(100_000)}\n`, /is not YAML/],
  [
    "two hundred levels",
    `${head} ${"{a: ".repeat(200)}1${"}".repeat(200)}\n`,
    /is nested more than 100 deep/,
  ],
])("%s: a line with its place, and the code 1", async (_, text, message) => {
  const { code, out, errors } = await runConvert(text);
  expect([code, out]).toEqual([1, ""]);
  expect(errors).toMatch(message);
  expect(errors.split("\n").length).toBeLessThan(7);
  expect(errors).toMatch(/^error: f\.yaml:\d+:\d+: document 1: /);
});

const million = 1_000_000;

test("values of a million characters are refused or carried over, and printed in part only", async () => {
  const trigger = prometheus({
    serverAddress: `http://${"a".repeat(million)}`,
    query: "(".repeat(million),
    threshold: "1".repeat(million),
    customHeaders: "a=b,".repeat(million / 4),
    timeout: "1".repeat(million),
  });
  const times = cron({
    start: "1,".repeat(million / 2),
    timezone: "Z".repeat(million),
    desiredReplicas: "9".repeat(million),
  });
  const text = stringify(scaledObject({ triggers: [trigger, times] }, { name: "n".repeat(million) }), {
    lineWidth: 0,
  });
  const { code, errors } = await runConvert(text);
  expect(code).toBe(1);
  expect(errors.length).toBeLessThan(20_000);
});

test("a query that nests deeply is not parsed", async () => {
  const query = `${"(".repeat(200)}up${")".repeat(200)}`;
  const { problems } = await convert(stringify(scaledObject({ triggers: [prometheus({ query })] })));
  expect(problems[0]?.message).toMatch(/nested more than 100 deep/);
});

test("more triggers than an autoscaler has metrics, and a file that is too long, are refused", async () => {
  const triggers = Array.from({ length: 101 }, () => prometheus());
  const { problems } = await convert(stringify(scaledObject({ triggers })));
  expect(problems).toMatchObject([{ path: "spec.triggers" }]);
  const { code, errors } = await runConvert("#".repeat(32 * 1024 * 1024 + 1));
  expect([code, errors]).toEqual([
    1,
    "error: f.yaml has more than 33554432 characters: split it into several files\n",
  ]);
});

test.each<[name: string, spec: unknown]>([
  ["nothing", null],
  ["a text", "text"],
  ["a list", []],
  ["triggers that are no list", { triggers: "many" }],
  ["triggers of nothing", { triggers: [null, 1, "a", []] }],
  ["metadata that is a list", { triggers: [{ type: "prometheus", metadata: [] }] }],
  [
    "metadata of mappings",
    { triggers: [{ type: "cron", metadata: { start: {}, end: [], timezone: {}, desiredReplicas: {} } }] },
  ],
  [
    "fields that every object has",
    { triggers: [{ type: "constructor", metadata: { constructor: 1, toString: 2 } }] },
  ],
  ["numbers without end", { minReplicaCount: 1e300, maxReplicaCount: Number.NaN, triggers: [prometheus()] }],
  [
    "a behavior of texts",
    { advanced: { horizontalPodAutoscalerConfig: { behavior: { scaleDown: "no", scaleUp: [] } } } },
  ],
])("a specification that is %s gives problems and no stack", async (_, spec) => {
  const object = { ...scaledObject({}), spec };
  const schedule = { ...object, apiVersion: "zalando.org/v1", kind: "ScalingSchedule" };
  const { code, objects, problems } = await convert(stringify(object));
  expect([code, objects]).toEqual([1, []]);
  expect(problems).not.toEqual([]);
  expect((await convert(stringify(schedule))).objects).toEqual([]);
});

test.each(["keda.sh/v1alpha1, kind: ScaledObject", "autoscaling/v2, kind: HorizontalPodAutoscaler"])(
  "names that are not text for the API server are none here: %s",
  async (kind) => {
    const { code, objects, problems } = await convert(
      `{apiVersion: ${kind}, metadata: {name: 12, namespace: n}, spec: {}}`,
    );
    expect([code, objects]).toEqual([1, []]);
    expect(problems.map(({ path, value, message }) => [path, value, message])).toEqual([
      ["metadata.name", 12, "is not a string"],
      ["metadata.namespace", false, "is not a string"],
    ]);
  },
);
