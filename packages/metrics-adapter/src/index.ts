// The adapter as a library: its composition root, and its flags.
export type { Logger } from "@plimsoll/component-base";
export { type Adapter, type AdapterDeps, createAdapter, type ServerOptions } from "./app/adapter.ts";
export type { AdapterOptions, OptionsResult } from "./options/compile.ts";
export { parseOptions } from "./options/options.ts";
