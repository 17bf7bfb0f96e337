// The entry of the package: the parts that need a decision or a record and nothing else.
export { Chart } from "./chart/chart.tsx";
export { type ChartData, type Line } from "./chart/series.ts";
export { ThemeContext } from "./chart/theme.ts";
export { TraceView, type TraceViewProps } from "./trace/trace-view.tsx";
export { showAllText } from "./ui/visible-text.ts";
export { type Edits, editsFrom, isEdited, noEdits, paramsOf } from "./what-if/edits.ts";
export { WhatIfView, type WhatIfViewProps } from "./what-if/what-if-view.tsx";
