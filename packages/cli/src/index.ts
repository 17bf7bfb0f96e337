// The command `plimsoll` as a function, for its main module and for tests.
export { rulesIn } from "./input/rules-text.ts";
export { runCli } from "./program.ts";
export type { CliSeams, ExitCode } from "./seams.ts";
