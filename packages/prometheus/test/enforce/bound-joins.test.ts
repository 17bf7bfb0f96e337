import { expect, test } from "vitest";
import { boundJoins } from "../../src/enforce/index.ts";

const long = (label: string): string => `"${label}","","${label}","(?s:.{254}.*)"`;

test.each([
  ["a * on (p) group_left () b", "a * on (p) group_left () avg by (p) (b)"],
  ["a * on (p) group_left b", "a * on (p) group_left avg by (p) (b)"],
  [
    "a * on (p) group_left (x,y) b",
    `a * on (p) group_left (x,y) avg by (p,x,y) (label_replace(label_replace(b,${long("x")}),${long("y")}))`,
  ],
  ["a * on () group_right () b", "avg by () (a) * on () group_right () b"],
  ["a * ignoring (c) group_left () b", "a * ignoring (c) group_left () avg without (c) (b)"],
  [
    "a * ignoring (c,x) group_left (x,y) b",
    `a * ignoring (c,x) group_left (x,y) avg without (c) (label_replace(b,${long("x")}))`,
  ],
  // The metric name does not have to match.
  ["a > ignoring () group_left () b", "a > ignoring () group_left () avg without () (b)"],
  [
    "a > ignoring (x) group_left (x) b",
    `a > ignoring (x) group_left (x) avg without () (label_replace(b,${long("x")}))`,
  ],
  [
    "a > ignoring () group_left () max without () (b)",
    "a > ignoring () group_left () avg without () (max without () (b))",
  ],
  // What is aggregated already has no other labels.
  ["a / ignoring (c) group_left () sum(b)", "a / ignoring (c) group_left () sum(b)"],
  ["a / on () group_left () sum(b)", "a / on () group_left () sum(b)"],
  [
    "a * on (p) group_left (x) max by (p,x) (b)",
    `a * on (p) group_left (x) label_replace(max by (p,x) (b),${long("x")})`,
  ],
  ["a * on (p) group_left () max by (p,x) (b)", "a * on (p) group_left () avg by (p) (max by (p,x) (b))"],
  // Nor has a label that the query writes a text of the data.
  [
    'a * on () group_left (x) label_replace(sum(b),"x","text","","")',
    'a * on () group_left (x) label_replace(sum(b),"x","text","","")',
  ],
  ['a * on ("p.q") group_left () b', 'a * on ("p.q") group_left () avg by ("p.q") (b)'],
  ["a * on () b", "a * on () b"],
  ["a and on () b", "a and on () b"],
  // Suffixes belong to the operand.
  ["a * on () group_left () b offset 5m", "a * on () group_left () avg by () (b offset 5m)"],
  ["c + a * on () group_left () b offset 5m", "c + a * on () group_left () avg by () (b offset 5m)"],
  ["a * on () group_left () b offset 5m + c", "a * on () group_left () avg by () (b offset 5m) + c"],
  ["a * on () group_left () b + c offset 5m", "a * on () group_left () avg by () (b) + c offset 5m"],
  ["a offset 5m * on () group_right () b", "avg by () (a offset 5m) * on () group_right () b"],
  ["a * on () group_left () -b ^ c", "a * on () group_left () avg by () (-b ^ c)"],
  ["-a * on () group_right () b", "avg by () (-a) * on () group_right () b"],
  [
    "max_over_time((a * on () group_left () b @ end() offset 5m)[5m:1m] offset 1m)",
    "max_over_time((a * on () group_left () avg by () (b @ end() offset 5m))[5m:1m] offset 1m)",
  ],
  // Joins in joins.
  [
    "a * on () group_left () (b * on () group_left () c)",
    "a * on () group_left () avg by () ((b * on () group_left () avg by () (c)))",
  ],
  [
    "a * on () group_left () b * on () group_left () c",
    "a * on () group_left () avg by () (b) * on () group_left () avg by () (c)",
  ],
  [
    "a ^ on () group_left () b ^ on () group_left () c",
    "a ^ on () group_left () avg by () (b ^ on () group_left () avg by () (c))",
  ],
  [
    "a * on () group_right () b * on () group_right () c",
    "avg by () (avg by () (a) * on () group_right () b) * on () group_right () c",
  ],
])("the side that a join copies from has only the labels that it uses: %s", (query, bounded) => {
  expect(boundJoins({ query })).toBe(bounded);
});
