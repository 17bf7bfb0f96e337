import { compileQuery, createExpositionReader, type ExpositionOptions, type Format } from "@plimsoll/live";
import { expect, test } from "vitest";

interface Options extends Partial<Omit<ExpositionOptions, "selectors">> {
  readonly query?: string;
  readonly format?: Format;
  readonly chunkBytes?: number;
}

function readerOf({ query = "x_total", targetLabels = [], limits = {} }: Options) {
  const plan = compileQuery(query);
  if (!plan.ok) throw new Error(plan.message);
  return createExpositionReader({ selectors: plan.selectors, targetLabels, limits });
}

/** The samples as text, or why there are none. */
function read(text: string | Uint8Array, options: Options = {}): unknown {
  const exposition = readerOf(options).start(options.format ?? "prometheus");
  const bytes = Buffer.from(text);
  const { chunkBytes = bytes.length } = options;
  for (let at = 0; at < bytes.length; at += chunkBytes) exposition.push(bytes.subarray(at, at + chunkBytes));
  const scraped = exposition.end();
  if (!scraped.ok) return scraped.message;
  return scraped.samples.map(({ labels, value, atMs }) => [
    labels.pairs.filter((part) => part !== "__name__").join(" "),
    value,
    ...(atMs === undefined ? [] : [atMs]),
  ]);
}

const text = `# HELP x_total Requests.
# TYPE x_total counter
x_total{code="200"} 1027
x_total{code="400",} 3 1395066363000

x_totals{code="200"} 9
x_tota 8
x_total 5
other{broken="
`;

test.each([undefined, 1, 2, 7, 64])(
  "the wanted series of an exposition in chunks of %s bytes",
  (chunkBytes) => {
    expect(read(text, { chunkBytes: chunkBytes ?? text.length })).toEqual([
      ["x_total code 200", 1027],
      ["x_total code 400", 3, 1_395_066_363_000],
      ["x_total", 5],
    ]);
  },
);

test.each<[string, unknown[]]>([
  ['x_total{a="\\"\\\\\\n\\t"} 1', ['x_total a "\\\n\\t', 1]],
  ['x_total{a="}",b="{ "} 1', ["x_total a } b { ", 1]],
  ['x_total { a = "b" , c = "d" }\t1 ', ["x_total a b c d", 1]],
  ['x_total{a="b"}1', ["x_total a b", 1]],
  ['{"x_total","a b"="c"} 1', ["x_total a b c", 1]],
  ['{a="b","x_total"} 1', ["x_total a b", 1]],
  ['x_total{a="ä"} 1', ["x_total a ä", 1]],
  ['x_total{a=""} 1', ["x_total", 1]],
  ["x_total NaN", ["x_total", Number.NaN]],
  ["x_total +Inf", ["x_total", Number.POSITIVE_INFINITY]],
  ["x_total -inf", ["x_total", Number.NEGATIVE_INFINITY]],
  ["x_total 1e-3", ["x_total", 0.001]],
  ["x_total 1", ["x_total", 1]],
])("%s", (line, expected) => {
  expect(read(line)).toEqual([expected]);
});

test.each<[string, string]>([
  ["x_total", "cannot read a line of "],
  ["x_total one", "cannot read a value of "],
  ["x_total 0x1p3", "cannot read a value of "],
  ["x_total 1_000", "cannot read a value of "],
  ["x_total 1e999", "cannot read a value of "],
  ["x_total 1 2 3", "cannot read a value of "],
  ["x_total 1 1.5", "cannot read a value of "],
  ["x_total 1\r", "cannot read a value of "],
  ['x_total{a="b} 1', "cannot read a line of "],
  ["x_total{a=b} 1", "cannot read a line of "],
  ['x_total{"a b"} 1', "cannot read a line of "],
  ['x_total{a="1",a="2"} 1', "cannot read a line of "],
  ['{a="b"} 1', "cannot read a line of "],
])("%s makes the scrape fail", (line, message) => {
  expect(read(`x_total 1\n${line}\n`)).toContain(message);
});

test("bytes that are not UTF-8 make the scrape fail", () => {
  expect(read(Buffer.concat([Buffer.from('x_total{a="'), Buffer.from([0xff]), Buffer.from('"} 1')]))).toBe(
    "a line is not UTF-8",
  );
});

const openMetrics = { format: "openmetrics" } as const;

test("OpenMetrics: times in seconds, exemplars read over", () => {
  const lines = [
    "# TYPE x counter",
    'x_total{a="b"} 1 1520879607.789 # {id="}"} 0.67 1520879607',
    "x_total 2 # {} 1",
    "x_created 1520872607.123",
    "# EOF\n",
  ];
  expect(read(lines.join("\n"), openMetrics)).toEqual([
    ["x_total a b", 1, 1_520_879_607_789],
    ["x_total", 2],
  ]);
  expect(read(lines.join("\n"), { ...openMetrics, query: "x_created" })).toEqual([
    ["x_created", 1_520_872_607.123],
  ]);
});

test.each<[string, string]>([
  ["x_total 1\n", "the response does not end with # EOF"],
  ["# EOF\nx_total 1\n", "there is data after # EOF"],
  ['x_total{a="b" c="d"} 1\n# EOF', "cannot read a line of "],
  ["x_total  1\n# EOF", "cannot read a value of "],
])("OpenMetrics: %s makes the scrape fail", (lines, message) => {
  expect(read(lines, openMetrics)).toContain(message);
});

test.each<[string, string]>([
  ["1", "1.0"],
  ["0.50", "0.5"],
  ["1000000", "1e+06"],
  ["12345678", "1.2345678e+07"],
  ["0.00001", "1e-05"],
  ["+Inf", "+Inf"],
  ["one", "one"],
])("the bound %s of a histogram is %s", (written, stored) => {
  const lines = `# TYPE x gauge\nx{le="1"} 1\n# TYPE l histogram\nl_bucket{le="${written}"} 1\n# TYPE y untyped\n`;
  expect(read(lines, { query: "l_bucket" })).toEqual([[`l_bucket le ${stored}`, 1]]);
  expect(read(lines, { query: "x" })).toEqual([["x le 1", 1]]);
});

test("labels of the target win over those of a series, which keep their value under another name", () => {
  const targetLabels = [
    ["pod", "p-1"],
    ["namespace", "shop"],
  ] as const;
  const line = 'x_total{pod="own",exported_pod="b"} 1';
  expect(read(line, { targetLabels })).toEqual([
    ["x_total exported_exported_pod own exported_pod b namespace shop pod p-1", 1],
  ]);
});

test("series that no selector matches are left out", () => {
  expect(read(text, { query: 'x_total{code=~"4.."}' })).toHaveLength(1);
  expect(read(text, { query: '{__name__=~"x_tota.?",code=""}' })).toEqual([
    ["x_tota", 8],
    ["x_total", 5],
  ]);
});

test.each<[string, Options, string]>([
  ["bytes of a line", { limits: { lineBytes: 20 } }, "a line is longer than 20 bytes"],
  [
    "bytes of a line in small chunks",
    { limits: { lineBytes: 20 }, chunkBytes: 3 },
    "a line is longer than 20 bytes",
  ],
  ["series", { limits: { series: 2 } }, "the metrics that queries ask for have more than 2 series"],
  ["labels", { limits: { labels: 0 } }, "or it has more than 0 labels"],
])("an exposition with too many %s fails", (_, options, message) => {
  expect(read(text, options)).toContain(message);
});

test("after a failure nothing more is read", () => {
  const exposition = readerOf({ limits: { lineBytes: 9 } }).start("prometheus");
  expect([exposition.push(Buffer.from("x_total 1\n")), exposition.push(Buffer.from("y".repeat(10)))]).toEqual(
    [true, false],
  );
  expect(exposition.push(Buffer.from("x_total 1\n"))).toBe(false);
  expect(exposition.end()).toMatchObject({ ok: false });
});

test("a series has the same labels object in every scrape", () => {
  const reader = readerOf({});
  const labelsOf = () => {
    const exposition = reader.start("prometheus");
    exposition.push(Buffer.from(text));
    const scraped = exposition.end();
    return scraped.ok ? scraped.samples.map(({ labels }) => labels) : [];
  };
  const first = labelsOf();
  expect(first).toHaveLength(3);
  expect(labelsOf().every((labels, at) => labels === first[at])).toBe(true);
});

test("a chunk may be written over after it was pushed", () => {
  const exposition = readerOf({}).start("prometheus");
  const chunk = Buffer.from("x_total ");
  exposition.push(chunk);
  chunk.fill("z");
  exposition.push(Buffer.from("1\n"));
  expect(exposition.end()).toMatchObject({ ok: true, samples: [{ value: 1 }] });
});

test("long lines in chunks of one byte take time in proportion to their length", () => {
  const line = `x_total{text="${"x".repeat(60_000)}"} 1\n`;
  const { user } = process.cpuUsage();
  expect(read(line.repeat(4), { chunkBytes: 1 })).toHaveLength(4);
  // 7 GB would be copied if each chunk were joined with those before it.
  expect(process.cpuUsage().user - user).toBeLessThan(1_000_000);
});

test("new series cost more than known ones", () => {
  const reader = readerOf({});
  const page = (round: number): number => {
    const exposition = reader.start("prometheus");
    for (let n = 0; n < 500; n += 1) exposition.push(Buffer.from(`x_total{round="${round}",n="${n}"} 1\n`));
    exposition.end();
    return exposition.cost;
  };
  expect([page(1), page(1), page(2)].map(Math.round)).toEqual([32, 2, 32]);
});

test("series that take long to match are charged, and the page is given up", () => {
  const regex = 'x_total{a=~"(a|b)*a(a|b){14}c"}';
  const plan = compileQuery(Array.from({ length: 8 }, () => regex).join(" or "));
  if (!plan.ok) throw new Error(plan.message);
  const reader = createExpositionReader({ selectors: plan.selectors, targetLabels: [], isFirstFree: true });
  const page = (series: number, value: string): string =>
    Array.from({ length: series }, (_, at) => `x_total{a="${value}${at}"} 1\n`).join("");
  const read = (text: string) => {
    const exposition = reader.start("prometheus");
    exposition.push(Buffer.from(text));
    return { ...exposition.end(), cost: Math.round(exposition.cost) };
  };
  expect(read(page(10, "ab"))).toEqual({ ok: true, samples: [], cost: 0 });
  expect(read(page(1_000, "ab".repeat(50)))).toEqual({
    ok: false,
    message: "its new series take too long to match: use simpler regular expressions",
    cost: 725,
  });
});
