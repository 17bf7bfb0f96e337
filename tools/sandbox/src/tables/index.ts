// Tables as kubectl get prints them.
export type { PrinterColumn } from "./custom-printer.ts";
export { type TableForOptions, tableFor } from "./table-for.ts";
