import { expect, test } from "vitest";
import { amountOf } from "../../src/ui/amount.ts";
import { kindOf, unitFor } from "../../src/ui/quantity-unit.ts";

test.each([
  ["no thousandths", undefined, ["700349m", "1k"], ["700.35", "1000"]],
  [
    "both sides above 10,000 have the suffix of the smaller",
    undefined,
    ["12345678", "20k"],
    ["12346k", "20k"],
  ],
  ["a small number is not a fraction of a big unit", undefined, ["5", "1200000"], ["5", "1200000"]],
  ["a fraction", undefined, ["25m", "500m"], ["0.025", "0.5"]],
  ["processors in thousandths, as kubectl top has them", "cpu", ["1360m", "4"], ["1360m", "4000m"]],
  ["processors of metrics-server", "cpu", ["1360123456n", "4"], ["1360.1m", "4000m"]],
  ["whole processors", "cpu", ["3", "4"], ["3", "4"]],
  ["many processors", "cpu", ["250500m", "400"], ["250.5", "400"]],
  ["memory", "memory", ["123456789", "200Mi"], ["117.74Mi", "200Mi"]],
  ["memory in thousandths of a byte", "memory", ["838860800500m", "1Gi"], ["800Mi", "1024Mi"]],
  ["a custom metric in binary units", undefined, ["104857600", "1Gi"], ["100Mi", "1024Mi"]],
  ["zero", undefined, ["0", "30"], ["0", "30"]],
  ["what is not a quantity", undefined, ["34%", "60%"], ["34%", "60%"]],
] as const)("%s", (_, resource, pair, texts) => {
  const unit = unitFor(pair, kindOf(resource, pair));
  expect(pair.map(unit.text)).toEqual(texts);
});

test("what is written is near what it was", () => {
  for (const quantity of ["700349m", "1", "999999999", "123456u", "17Gi", "3333333m", "12E"]) {
    for (const other of ["1k", "5m", "2Ti", "100n"]) {
      const pair = [quantity, other];
      const written = amountOf(unitFor(pair, kindOf(undefined, pair)).text(quantity)) ?? 0;
      expect(Math.abs(written / (amountOf(quantity) ?? 0) - 1)).toBeLessThan(1e-4);
    }
  }
});
