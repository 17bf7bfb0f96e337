// Process helpers that every program shares: crashes, file errors, suggestions for flags, the version.
export { hideSecretsOfCrashes } from "./crash.ts";
export { fileErrorText } from "./file-error.ts";
export { flagSuggestion } from "./flag-suggestion.ts";
export { packageVersion } from "./package-version.ts";
export { suggest } from "./suggest.ts";
