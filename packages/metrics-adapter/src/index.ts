export { type Adapter, type AdapterDeps, createAdapter, type ServerOptions } from "./app.ts";
export type { Logger } from "./logger.ts";
export type { AdapterOptions, OptionsResult } from "./options/compile.ts";
export { flagDocs } from "./options/flag-docs.ts";
export { flags, parseOptions } from "./options.ts";
