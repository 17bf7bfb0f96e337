// Flags of a process: one table, from which values, problems, --help and the documentation come.
export { type Flag, type FlagKind, type FlagTable, section } from "./flag.ts";
export { flagDocs, helpText } from "./flag-docs.ts";
export {
  createFlagReader,
  type Expected,
  type FlagReader,
  type FlagWording,
  flagWarnings,
} from "./flag-reader.ts";
export { type ParsedFlags, parseFlags } from "./parse-flags.ts";
