// The adapter as a library: its composition root, its flags, and its parts for simulations.
export type { Logger } from "@plimsoll/component-base";
export { type Adapter, type AdapterDeps, createAdapter, type ServerOptions } from "./app/adapter.ts";
export {
  createLocalServer,
  type LocalResponse,
  type LocalServer,
  type LocalServerOptions,
} from "./app/local-server.ts";
export { createEngine, type Engine, type EngineOptions } from "./backends/prometheus/engine.ts";
export type { AdapterOptions, OptionsResult } from "./options/compile.ts";
export { parseOptions } from "./options/options.ts";
