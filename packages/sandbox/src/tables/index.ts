export type { PrinterColumn } from "./custom-printer.ts";
export { ageSince, humanDuration } from "./human-duration.ts";
export type { Table, TableColumn } from "./table.ts";
export { type TableForOptions, tableFor } from "./table-for.ts";
