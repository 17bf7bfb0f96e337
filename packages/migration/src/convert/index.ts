// Converts other autoscalers into WorkloadAutoscalers, and the values of another chart into those of ours.
export { type ConvertReport, convertTexts } from "./convert.ts";
export type { ConvertSettings } from "./converter.ts";
export { convertedKinds } from "./kinds.ts";
export { fileText } from "./rules-file.ts";
export { convertValues } from "./values/convert-values.ts";
