// What simulations run of the adapter: its engine, and its stages without a connection.
export { createEngine } from "../backends/prometheus/engine.ts";
export { createLocalServer, type LocalServer } from "./local-server.ts";
