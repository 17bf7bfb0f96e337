// Values that every package reads and prints. Only packages of this repository import it.
export {
  type Fields,
  fieldsOf,
  isAbsent,
  isFields,
  isObject,
  isPatchOperation,
  listOf,
  type Remark,
  textOf,
} from "./fields.ts";
export { createHeap, type Heap } from "./heap.ts";
export { nearest } from "./nearest.ts";
export { canonicalQuantity, plainBytes, plainQuantity } from "./quantity/plain.ts";
export { sfc32 } from "./random.ts";
export { showPercent, showRatio } from "./ratio.ts";
export { selectorProblem } from "./selector/label-selector.ts";
export { selectorTextProblem } from "./selector/parse.ts";
export { noLabels } from "./selector/selector.ts";
export { certificateText, compareText, counted, messageOf, shellWord, xmlText } from "./text.ts";
export { ageText, humanDuration } from "./time/age.ts";
export { dayMs, hourMs, mebibyte, minuteMs, secondMs, yearMs } from "./units.ts";
