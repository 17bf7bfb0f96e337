// The log of a process: JSON lines without secrets, whose output never blocks the process.
export { createLogger, type LogLevel, logLevels } from "./create-logger.ts";
export { createLogOutput, type LogOutput } from "./log-output.ts";
export { lostLinesCounter } from "./lost-lines.ts";
