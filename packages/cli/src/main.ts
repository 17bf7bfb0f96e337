#!/usr/bin/env node
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { text } from "node:stream/consumers";
import { runCli } from "./program.ts";

const interrupted = new AbortController();
process.once("SIGINT", () => interrupted.abort(new Error("interrupted")));
const { version } = JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8")) as {
  readonly version: string;
};

process.exitCode = await runCli({
  args: process.argv.slice(2),
  // kubectl runs its plugins under their own name; help then shows what was typed.
  name: basename(process.argv[1] ?? "").startsWith("kubectl-") ? "kubectl plimsoll" : "plimsoll",
  version,
  readText: (path) => (path === "-" ? text(process.stdin) : readFile(path, "utf8")),
  writeOut: (part) => void process.stdout.write(part),
  writeError: (part) => void process.stderr.write(part),
  nowMs: () => Date.now(),
  signal: interrupted.signal,
});
