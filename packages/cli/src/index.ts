export { runCli } from "./program.ts";
export type { CliSeams, ExitCode } from "./seams.ts";
