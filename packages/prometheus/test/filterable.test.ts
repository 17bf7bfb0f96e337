import { expect, test } from "vitest";
import { isFilterable } from "../src/index.ts";

const M = '__matchers__="1"';
const decides = (promql: string, label = "pod"): boolean =>
  isFilterable(promql.replaceAll("<M>", M), label, "__matchers__");

test.each([
  "up{<M>}",
  "{<M>}",
  '{__name__=~"a|b",<M>,}',
  "sum(rate(x{<M>}[5m])) by (pod)",
  "sum by (pod) (rate(x{<M>}[5m]))",
  "SUM BY (namespace, pod) (x{<M>})",
  "max without (instance) (x{<M>})",
  "avg(x{job='a}b', <M>}) by (pod, container) * 1000",
  '1 - avg(rate(x{mode="idle",<M>}[1m30s] offset 5m)) by (pod)',
  "histogram_quantile(0.99, sum(rate(x_bucket{<M>}[2m])) by (pod, le))",
  "quantile(0.5, x{<M>}) by (pod)",
  "max_over_time(sum(rate(x{<M>}[1m])) by (pod)[10m:30s])",
  "-clamp_min(x{<M>}, 0) > bool 5 # a note",
  "time() - max(x{<M>}) by (pod)",
  "sum(max(x{<M>}) by (pod, instance)) by (pod)",
  "((x{<M>} @ 1700000000))",
])("the label filters %s", (promql) => {
  expect(decides(promql)).toBe(true);
});

test.each([
  "sum(x{<M>})",
  "sum(x{<M>}) by (container)",
  "sum by (pod) (sum by (container) (x{<M>}))",
  "max without (pod) (x{<M>})",
  "topk(3, x{<M>}) by (pod)",
  "topk(3, x{<M>})",
  "count_values('v', x{<M>})",
  "absent(x{<M>})",
  "absent_over_time(x{<M>}[5m])",
  "scalar(x{<M>})",
  "vector(1)",
  "1",
  "x",
  "x{pod='a'}",
  "x{<M>} / y{<M>}",
  "x{<M>} / on (pod) y",
  "x{<M>} / ignoring (a) group_left y{}",
  "x{<M>} or vector(0)",
  "x{<M>} and y",
  "x{<M>} unless y",
  "label_replace(x{<M>}, 'pod', '$1', 'name', '(.*)')",
  "sort_desc(x{<M>})",
  "unheard_of(x{<M>})",
  "x{<M>} keep_metric_names",
  "x{<M>",
  "x{<M>} )",
  "sum(x{<M>}) by (pod) by (pod)",
  "x{'quoted',<M>}",
  "x{<M>}[5m+1m]",
  'x{a="<M>"}',
  "x{<M>} $",
  `${"(".repeat(100)}x{<M>}${")".repeat(100)}`,
])("the label does not filter %s", (promql) => {
  expect(decides(promql)).toBe(false);
});

test("labels that expressions take away never do", () => {
  expect(decides("rate(x{<M>}[5m])", "__name__")).toBe(false);
  expect(decides("sum(x{<M>}) by (le)", "le")).toBe(false);
});
