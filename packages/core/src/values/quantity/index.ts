// Quantities: parsed, printed and compared exactly.
export { addQuantity, approximateFloat, compareQuantity, milliValue, signOf, value } from "./convert.ts";
export { formatQuantity, fromMilli } from "./format.ts";
export { parseQuantity } from "./parse.ts";
export { type Quantity, QuantityError, type QuantityFormat, quantityOfMilli } from "./quantity.ts";
