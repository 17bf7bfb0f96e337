// Responses of many bytes: what is read, what is kept, what is left out.
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { createNodeFetch, createPrometheusClient, type FetchLike, type LeftOut } from "../src/index.ts";
import { startFakePrometheus } from "../src/testing.ts";
import { errorOf } from "./client-rig.ts";

const kib = 1024;
const mib = 1024 * kib;

interface Answered {
  readonly client: ReturnType<typeof createPrometheusClient>;
  /** Bytes that the client has taken. */
  read(): number;
}

/** A client whose one response comes in these chunks. */
function answering(chunks: () => Iterable<Uint8Array>, options: object = {}): Answered {
  let bytes = 0;
  async function* body(): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks()) {
      bytes += chunk.byteLength;
      yield chunk;
    }
  }
  const fetch: FetchLike = async () => ({ status: 200, headers: { get: () => null }, body: body() });
  const url = "http://prometheus.test";
  const client = createPrometheusClient({ url, fetch, maxItemBytes: 64 * kib, ...options });
  return { client, read: () => bytes };
}

const bytesOf = (text: string): Uint8Array => Buffer.from(text);
const head = '{"status":"success","data":{"resultType":"vector","result":[';
const sample = (labels: object, value = 1): string =>
  JSON.stringify({ metric: labels, value: [1, `${value}`] });

function* cutInto(text: string, length: number): Generator<Uint8Array> {
  const bytes = bytesOf(text);
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

const fatLabels = Object.fromEntries(["a", "b", "c", "d"].map((name) => [name, "x".repeat(10 * mib)]));

/** What one tenant's series of 40 MB looks like beside those of others. */
function* fatResponse(): Generator<Uint8Array> {
  yield bytesOf(head);
  yield bytesOf(`${sample({ pod: "first" })},`);
  yield* cutInto(sample(fatLabels), 64 * kib);
  yield bytesOf(`,${sample({ pod: "last" }, 2)}]},"warnings":["partial"]}`);
}

test("a series of 40 MB is left out, and the others of the same response are there", async () => {
  const { client } = answering(fatResponse);
  const found: LeftOut[] = [];
  const result = await client.query("up", { onLeftOut: (left) => found.push(left) });
  expect(result).toEqual({
    type: "vector",
    samples: [
      { labels: { pod: "first" }, atMs: 1000, value: 1 },
      { labels: { pod: "last" }, atMs: 1000, value: 2 },
    ],
    leftOut: 1,
    warnings: ["partial"],
    infos: [],
  });
  expect(found).toEqual([{ items: 1, maxBytes: expect.any(Number), start: expect.any(String) }]);
  expect(found[0]?.maxBytes).toBeGreaterThan(40 * mib);
  expect(found[0]?.start.length).toBeLessThan(300);
});

test("what large responses share counts what is kept, and not what is left out", async () => {
  let kept = 0;
  let most = 0;
  const responseMemory = {
    enter: () => ({
      grow: (bytes: number) => void (most = Math.max(most, (kept += bytes))),
      leave: () => void (kept = 0),
    }),
  };
  const { client } = answering(fatResponse, { responseMemory });
  await client.query("up");
  expect(most).toBeLessThan(512 * kib);
  expect(kept).toBe(0);
});

test("series, label names and label values lose the fat ones, and keep the rest", async () => {
  const range = { startMs: 0 };
  const list = (items: readonly unknown[]) => () =>
    cutInto(JSON.stringify({ status: "success", data: items }), 50_000);
  const long = "x".repeat(mib);
  const series = answering(list([{ __name__: "a" }, { __name__: "b", fat: long }, { __name__: "c" }]));
  expect(await series.client.series(["a"], range)).toEqual([{ __name__: "a" }, { __name__: "c" }]);
  const names = answering(list(["a", long, "c"]));
  expect(await names.client.labelNames([], range)).toEqual(["a", "c"]);
  const values = answering(list(["a", long, "c"]));
  expect(await values.client.labelValues("__name__", [], range)).toEqual(["a", "c"]);
});

test("without a limit for a series nothing is left out: a range of many points is one", async () => {
  const points = Array.from({ length: 20_000 }, (_, at) => [at, String(at)]);
  const data = { resultType: "matrix", result: [{ metric: { job: "x" }, values: points }] };
  const body = JSON.stringify({ status: "success", data });
  const range = { startMs: 0, endMs: 1, stepMs: 1 };
  for (const options of [{}, { maxItemBytes: undefined }]) {
    const { client } = answering(() => cutInto(body, 60_000), options);
    expect(await client.queryRange("x", range)).toMatchObject({
      type: "matrix",
      series: [{ points: { length: 20_000 } }],
    });
  }
});

test("a response keeps no more than its budget, and says whose it is and what to do", async () => {
  const samples = Array.from({ length: 40_000 }, (_, at) => sample({ pod: `pod-${at}` }));
  const body = `${head}${samples.join(",")}]}}`;
  const { client, read } = answering(() => cutInto(body, 16 * kib));
  const budget = { maxBytes: mib, namespace: "shop", memory: undefined };
  const error = await errorOf(client.query("up", { budget }));
  expect(error.kind).toBe("too_large");
  expect(error.message).toBe(
    "the response for the namespace shop is larger than 1 MiB: aggregate the query, for example with sum by, or drop labels with long values",
  );
  expect(read()).toBeLessThan(1.1 * mib);
});

test("series that are far larger than usual leave room for the usual ones", async () => {
  const usual = Array.from({ length: 4_000 }, (_, at) => sample({ pod: `pod-${at}` }));
  const fat = Array.from({ length: 2_000 }, (_, at) =>
    sample({ pod: `fat-${at}`, long: "x".repeat(60_000) }),
  );
  function* body(): Generator<Uint8Array> {
    yield bytesOf(head);
    for (const one of [...fat, ...usual]) yield bytesOf(`${one},`);
    yield bytesOf(`${sample({ pod: "last" })}]}}`);
  }
  const { client } = answering(body, { maxResponseBytes: 16 * mib });
  const result = await client.query("up");
  const pods = result.type === "vector" ? result.samples.map(({ labels }) => labels["pod"]) : [];
  expect(pods.filter((pod) => pod?.startsWith("pod-"))).toHaveLength(4_000);
  expect(pods.at(-1)).toBe("last");
  expect(result.leftOut).toBeGreaterThan(1_800);
});

test.each([
  ["one label", `${head}{"metric":{"a":"`, "x".repeat(100_000)],
  ["series of 100 kB", head, `${sample({ a: "x".repeat(100_000) })},`],
  ["small series", head, `${sample({ a: "b" })},`],
  ["nesting", head, "[".repeat(100_000)],
  ["blanks", head, " ".repeat(100_000)],
  ["warnings", `${head}]},"warnings":[`, `"${"x".repeat(100_000)}",`],
])("an endless response of %s ends at a limit", async (_, start, part) => {
  function* body(): Generator<Uint8Array> {
    yield bytesOf(start);
    const chunk = bytesOf(part);
    for (;;) yield chunk;
  }
  const { client, read } = answering(body, { maxResponseBytes: 2 * mib });
  const error = await errorOf(client.query("up"));
  expect(["too_large", "bad_response"]).toContain(error.kind);
  expect(read()).toBeLessThan(17 * mib);
});

const awkward = [
  { pod: 'quotes " and \\ and \\" and ]}[{', emoji: "😀é漢\u0000\u001f" },
  { "]": "[", "}": "{", ",": ":" },
  {},
];
const filler = Array.from({ length: 2_000 }, (_, at) => ({ pod: `pod-${at}`, pad: "x".repeat(150) }));

test.each([1, 2, 3, 7, 64, 4_093])(
  "wherever chunks of %i bytes end, the result is that of the whole",
  async (length) => {
    const text = `${head}${[...awkward, ...filler, ...awkward].map((one) => sample(one)).join(" ,\n")}]}}`;
    const result = await answering(() => cutInto(text, length)).client.query("up");
    expect(result).toEqual(
      await answering(() => [bytesOf(text)], { maxItemBytes: undefined }).client.query("up"),
    );
  },
);

test("invalid UTF-8 becomes replacement characters, as in a small response", async () => {
  const broken = Buffer.concat([
    bytesOf(`${head}{"metric":{"pod":"`),
    Buffer.from([0xff, 0xc3, 0x28, 0xe2, 0x82]),
    bytesOf(`"},"value":[1,"1"]},`),
    bytesOf(`${filler.map((one) => sample(one)).join(",")}]}}`),
  ]);
  const result = await answering(() => [broken]).client.query("up");
  expect(result.type === "vector" && result.samples[0]?.labels).toEqual({ pod: "��(�" });
});

test.each([
  ["an item that is not a sample", `${head}"x",${sample({ a: "x".repeat(300_000) })}]}}`],
  ["an item that is not JSON", `${head}{a},${sample({ a: "x".repeat(300_000) })}]}}`],
  ["no end", `${head}${sample({ a: "x".repeat(300_000) })},${sample({})}`],
  ["brackets that do not match", `${head}${sample({ a: "x".repeat(300_000) })}}]}}`],
  [
    "a scalar of many bytes",
    `{"status":"success","data":{"resultType":"scalar","result":[1,"${"1".repeat(300_000)}"]}}`,
  ],
])("%s is no response", async (_, text) => {
  const error = await errorOf(answering(() => cutInto(text, 60_000)).client.query("up"));
  expect(error.kind).toBe("bad_response");
  expect(error.message.length).toBeLessThan(600);
});

test("a label value of more than 1,024 characters is cut, and a name of more than that is left out", async () => {
  const labels = { pod: "a", long: "x".repeat(5_000), ["n".repeat(5_000)]: "y" };
  const result = await answering(() => [bytesOf(`${head}${sample(labels)}]}}`)]).client.query("up");
  expect(result.type === "vector" && result.samples[0]?.labels).toEqual({
    pod: "a",
    long: `${"x".repeat(1_024)}…`,
  });
  const names = JSON.stringify({ status: "success", data: ["a", "n".repeat(5_000)] });
  const read = answering(() => [bytesOf(names)]).client;
  expect(await read.labelNames([], { startMs: 0 })).toEqual(["a"]);
});

test("a compressed response counts by its decoded bytes", async () => {
  const text = `${head}${sample({ pod: "first" })},${sample(fatLabels)},${sample({ pod: "last" })}]}}`;
  const bomb = gzipSync(text);
  expect(bomb.byteLength).toBeLessThan(mib);
  const fake = await startFakePrometheus(() => ({ headers: { "content-encoding": "gzip" }, body: bomb }));
  onTestFinished(() => fake.close());
  const { fetch, close } = createNodeFetch();
  const roomy = createPrometheusClient({ url: fake.url, fetch, maxItemBytes: 64 * kib });
  expect(await roomy.query("up")).toMatchObject({ leftOut: 1, samples: { length: 2 } });
  const tight = createPrometheusClient({
    url: fake.url,
    fetch,
    maxItemBytes: 64 * kib,
    maxResponseBytes: mib,
  });
  expect((await errorOf(tight.query("up"))).message).toContain("larger than 8 MiB");
  close();
  await expect.poll(() => fake.openSockets()).toBe(0);
});

test("a large range of samples is refused at its first series", async () => {
  const values = Array.from({ length: 200 }, (_, at) => [at, "1"]);
  const series = Array.from({ length: 500 }, (_, at) =>
    JSON.stringify({ metric: { pod: `pod-${at}` }, values }),
  );
  const body = `{"status":"success","data":{"resultType":"matrix","result":[${series.join(",")}]}}`;
  const { client, read } = answering(() => cutInto(body, 16 * kib));
  const error = await errorOf(client.query("up[1d]"));
  expect([error.kind, error.message]).toEqual([
    "execution",
    expect.stringContaining("use a function such as rate or last_over_time"),
  ]);
  expect(read()).toBeLessThan(0.5 * mib);
});
