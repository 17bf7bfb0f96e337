// Files of YAML or JSON as objects that know their places, and the problems of them.
export { hpaBounds } from "./hpa-bounds.ts";
export { templateProblem } from "./parse.ts";
export { type ConvertProblem, problemText } from "./problem.ts";
export {
  type NamedText,
  readPlainDocument,
  readSources,
  type SourceObject,
} from "./source.ts";
