// Process helpers that every program shares: crashes, signals, file errors, suggestions for flags, the version.
export { hideSecretsOfCrashes } from "./crash.ts";
export { fileErrorText } from "./file-error.ts";
export { flagSuggestion } from "./flag-suggestion.ts";
export { keepHeapSmall } from "./heap.ts";
export { packageVersion } from "./package-version.ts";
export { stopSignal } from "./stop-signal.ts";
export { suggest } from "./suggest.ts";
