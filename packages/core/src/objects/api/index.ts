// The API of HPAs: defaults, validation, conversion between versions.

export { convertHpa, type HpaVersion } from "./convert/convert.ts";
export { ConversionError } from "./convert/schema.ts";
export { defaultHpa } from "./default.ts";
export { type Problem } from "./validate/problem.ts";
export { problemsText } from "./validate/problem-text.ts";
export { type ValidateOptions, validateHpa } from "./validate/validate.ts";
