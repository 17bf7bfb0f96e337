// VitePress looks for its theme here.
export { theme as default } from "../../src/theme/theme.ts";
