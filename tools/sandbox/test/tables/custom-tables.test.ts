import { expect, test } from "vitest";
import { parseJsonPath } from "../../src/tables/json-path.ts";
import { ago, block, print } from "./print.ts";

test("custom resources print their additional columns", () => {
  const printerColumns = [
    { name: "Target", type: "string", jsonPath: ".spec.targetRef.name" },
    { name: "Max", type: "integer", jsonPath: ".spec.maxReplicas" },
    { name: "Active", type: "string", jsonPath: '.status.conditions[?(@.type=="Active")].status' },
    { name: "Paused", type: "boolean", jsonPath: ".spec.paused" },
    { name: "Weight", type: "number", jsonPath: ".spec.weight", priority: 1 },
    { name: "Last", type: "date", jsonPath: ".status.lastScaleTime" },
  ];
  const objects = [
    {
      metadata: { name: "router", creationTimestamp: ago(10) },
      spec: { targetRef: { name: "web" }, maxReplicas: 9, paused: false, weight: 0.5 },
      status: {
        conditions: [
          { type: "Ready", status: "False" },
          { type: "Active", status: "True" },
        ],
        lastScaleTime: ago(300),
      },
    },
    { metadata: { name: "empty", creationTimestamp: ago(10) }, spec: { maxReplicas: "nine" } },
  ];
  expect(print("widgets.example.com", objects, { printerColumns })).toBe(
    block(`
      NAME     TARGET   MAX   ACTIVE   PAUSED   LAST
      router   web      9     True     false    5m
      empty
    `),
  );
  expect(print("widgets.example.com", objects, { printerColumns, wide: true }).split("\n")[1]).toContain(
    "0.5",
  );
  expect(print("widgets.example.com", objects, { printerColumns: [] })).toBe(
    "NAME     AGE\nrouter   10s\nempty    10s",
  );
});

const value = {
  a: {
    "b.c": 1,
    "d/e": 2,
    list: [
      { n: "x", v: 1 },
      { n: "y", v: 2, deep: { ok: true } },
    ],
    none: null,
  },
};

test.each([
  [".a.list[0].v", [1]],
  [".a.list[-1].v", [2]],
  [".a.list[*].v", [1, 2]],
  [".a.list[?(@.n=='y')].v", [2]],
  [".a.list[?( @.deep.ok == true )].n", ["y"]],
  [".a.b\\.c", [1]],
  [".a['b.c']", [1]],
  ['$.a["d/e"]', [2]],
  [".a.d/e", [2]],
  [".a.none", []],
  [".a.missing.deeper", []],
  [".a.list[7]", []],
])("the path %s finds %j", (path, found) => {
  expect(parseJsonPath(path)?.(value)).toEqual(found);
});

test.each(["a", ".a[", ".a[?(@.n)]", ".a..b"])("the path %s is not read", (path) => {
  expect(parseJsonPath(path)).toBeUndefined();
});
